import type { Literal } from "./column-rules.ts";

/** Returns a text between apostrophes; undefined for anything else. */
export function quotedText(text: string): Literal | undefined {
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1]?.replaceAll("''", "'");
  return quoted === undefined ? undefined : { text: quoted, isQuoted: true };
}
