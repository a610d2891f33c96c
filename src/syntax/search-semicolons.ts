import { closingDoubleQuote, nestedSearchEnd } from "./nested-value-end.ts";
import { syntaxError } from "./syntax-error.ts";

/** Offsets in the decoded text of an option: of the first character, and after the last. */
type Stretch = readonly [start: number, end: number];

/**
 * Checks that words of a search contain semicolons only percent-encoded; phrases may contain any.
 * @param option `$search`, or `$expand`, whose items may contain searches
 * @param raw the option as written in the URL, with its name
 * @param text the decoded value
 * @throws ODataError 400 InvalidQueryOption with the position, target the option
 * @see ABNF searchWord, searchPhrase
 */
export function checkSearchSemicolons(option: "$search" | "$expand", raw: string, text: string): void {
  if (!raw.includes(";") || (option === "$expand" && !text.includes("$search"))) return;
  const semicolons = raw.match(/;|%3b/giu) ?? [];
  const offsets = [...text.matchAll(/;/gu)].map(({ index }) => index);
  const written = new Set(offsets.filter((_offset, at) => semicolons[at] === ";"));
  const stretches: Iterable<Stretch> = option === "$search" ? [[0, text.length]] : nestedSearches(text);
  for (const [start, end] of stretches) {
    for (let at = start; at < end; at += 1) {
      if (text[at] === '"') at = closingDoubleQuote(text, at);
      else if (written.has(at)) {
        throw syntaxError(option, at, "a word must not contain a semicolon: write %3B, or a phrase in double quotes.");
      }
    }
  }
}

const SEARCH = "$search=";

/** Finds the searches nested in `$expand`. */
function* nestedSearches(text: string): Iterable<Stretch> {
  // Whether the name of an option may follow.
  let isAtOption = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isAtOption && text.startsWith(SEARCH, at)) {
      const start = at + SEARCH.length;
      const end = nestedSearchEnd(text, start);
      yield [start, end];
      at = end - 1;
    } else if (character === "'") {
      const close = text.indexOf("'", at + 1);
      at = close === -1 ? text.length : close;
    } else if (character === '"') {
      at = closingDoubleQuote(text, at);
    }
    isAtOption = character === "(" || character === ";" || (isAtOption && (character === " " || character === "\t"));
  }
}
