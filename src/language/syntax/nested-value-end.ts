/**
 * Finds the end of the value of an option nested in `$expand`: the semicolon or closing parenthesis that belongs to the
 * list of options. Characters within quotes and within parentheses of the value do not count.
 * @param text the whole text of `$expand`
 * @param start offset of the value
 * @returns the offset of the character that ends it, or the length of the text
 * @see ABNF expandOption
 */
export function nestedValueEnd(text: string, start: number): number {
  return valueEnd(text, start, null);
}

/**
 * Finds the end of a `$search` nested in `$expand`. Single quotes are ordinary characters of a word there, and so is a
 * semicolon unless another option follows it: `checkSearchSemicolons` has checked that it was percent-encoded.
 * @param signIsOptional whether the name of that option may lack its `$`
 * @returns as for `nestedValueEnd`
 * @see ABNF searchWord, expandCountOption
 */
export function nestedSearchEnd(text: string, start: number, signIsOptional: boolean): number {
  return valueEnd(text, start, signIsOptional ? BARE_NAMES : []);
}

/** The names of nested options, with the equals sign that must follow a name without `$`. */
const BARE_NAMES: readonly string[] = [
  "filter=",
  "search=",
  "orderby=",
  "skip=",
  "top=",
  "count=",
  "select=",
  "expand=",
  "levels=",
  "compute=",
];

/** @param bareNames the names without `$` that may follow a search; null for the value of another option */
function valueEnd(text: string, start: number, bareNames: readonly string[] | null): number {
  const isSearch = bareNames !== null;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "'" && !isSearch) {
      const close = text.indexOf("'", at + 1);
      if (close === -1) return text.length;
      at = close;
    } else if (character === '"') {
      at = closingDoubleQuote(text, at);
    } else if (character === "(") {
      depth += 1;
    } else if (character === ")") {
      if (depth === 0) return at;
      depth -= 1;
    } else if (character === ";" && depth === 0 && (!isSearch || isOptionNext(text, at + 1, bareNames))) {
      return at;
    }
  }
  return text.length;
}

/** Returns the offset of the quote that closes the quote at `open`, or the length of the text. */
export function closingDoubleQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at += 1;
  }
  return text.length;
}

function isOptionNext(text: string, start: number, bareNames: readonly string[]): boolean {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return text[at] === "$" || bareNames.some((name) => text.startsWith(name, at));
}
