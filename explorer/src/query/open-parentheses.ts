/** A part of a text that a parenthesis opens and nothing closes; the first one is all of the text. */
export interface OpenPart {
  /** The path or function before the parenthesis. */
  readonly word: string;
  /** How many arguments precede the last one. */
  argument: number;
  /** Offset of the last argument, after a comma. */
  start: number;
  /** Offset of the last option, after a semicolon. */
  option: number;
}

/** Finds the parts that the end of a text is in, from the outside. Parentheses, commas and semicolons within strings do not count. */
export function openParts(text: string): readonly OpenPart[] {
  const parts: OpenPart[] = [{ word: "", argument: 0, start: 0, option: 0 }];
  for (const { 0: token, 1: word = "", index } of text.matchAll(/'(?:[^']|'')*(?:'|$)|([\p{L}\p{N}_./]*)\(|[),;]/gu)) {
    const end = index + token.length;
    const last = parts.at(-1);
    if (token.endsWith("(")) parts.push({ word, argument: 0, start: end, option: end });
    else if (token === ")" && parts.length > 1) parts.pop();
    else if (token === "," && last !== undefined) {
      last.argument += 1;
      last.start = end;
    } else if (token === ";" && last !== undefined) last.option = end;
  }
  return parts;
}

/** Returns the text after the last comma outside strings and parentheses. */
export function afterComma(text: string): string {
  return text.slice(openParts(text)[0]?.start);
}
