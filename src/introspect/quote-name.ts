import type { DatabaseKind } from "./database-schema.ts";

/** Returns a name with the quotes of a kind of database. */
export function quoteName(name: string, kind: DatabaseKind): string {
  const quote = kind === "mysql" ? "`" : '"';
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}
