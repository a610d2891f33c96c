import type { ODataError } from "../../base/errors/odata-error.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";
import { skipName } from "./token.ts";

/** Reads the text of `$select` or `$expand` from left to right; `position` is the offset of the next character. */
export interface OptionCursor {
  readonly text: string;
  readonly context: ParseContext;
  /** The option that contains the text: the target of errors. */
  readonly option: "$select" | "$expand";
  position: number;
}

/** Makes an error at a position. */
export function readerError(reader: OptionCursor, message: string, position: number = reader.position): ODataError {
  return syntaxError(reader.option, position, message);
}

/** Returns the text at the position, for messages. */
export function foundText(reader: OptionCursor): string {
  return reader.position >= reader.text.length ? "the end" : quoteText(reader.text.slice(reader.position));
}

/** Moves over blanks and tabs. */
export function skipBlanks(reader: OptionCursor): void {
  const { text } = reader;
  let at = reader.position;
  while (text[at] === " " || text[at] === "\t") at += 1;
  reader.position = at;
}

/** Removes the outer blanks and tabs of a text, but no other white space, as `skipBlanks` does. */
export function withoutOuterBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === " " || text[start] === "\t") start += 1;
  while (end > start && (text[end - 1] === " " || text[end - 1] === "\t")) end -= 1;
  return text.slice(start, end);
}

/** Moves over a character if it is next. */
export function skipCharacter(reader: OptionCursor, character: string): boolean {
  if (reader.text[reader.position] !== character) return false;
  reader.position += 1;
  return true;
}

/**
 * Reads `Name`, `Namespace.Name`, `Namespace.*` or `*`.
 * @param expected the missing name, for the message
 * @throws ODataError 400 InvalidQueryOption without a name, and above `maxTokens`
 * @see ABNF odataIdentifier, namespace, allOperationsInSchema
 */
export function readName(reader: OptionCursor, expected: string): string {
  const { text, position: start } = reader;
  countToken(reader);
  let at = start;
  for (;;) {
    const end = text[at] === "*" ? at + 1 : skipName(text, at);
    if (end === at) throw readerError(reader, `${expected} is missing: found ${foundText(reader)}.`);
    const isStar = text[at] === "*";
    at = end;
    if (isStar || text[at] !== ".") break;
    at += 1;
  }
  reader.position = at;
  return text.slice(start, at);
}

function countToken(reader: OptionCursor): void {
  const { counters, limits } = reader.context;
  counters.tokens += 1;
  if (counters.tokens > limits.maxTokens) {
    throw readerError(
      reader,
      `the query has more than ${limits.maxTokens} tokens: shorten it, or send several requests.`,
    );
  }
}
