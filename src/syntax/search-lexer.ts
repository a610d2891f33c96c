import type { ODataError } from "../errors/odata-error.ts";
import type { ParseContext } from "./parse-context.ts";
import { syntaxError } from "./syntax-error.ts";

/** A token of a `$search` expression. */
export interface SearchToken {
  readonly kind: "word" | "phrase" | "and" | "or" | "not" | "open" | "close" | "end";
  /** The word; the phrase without quotes and escapes. */
  readonly text: string;
  readonly position: number;
  /** Whether a blank precedes it, or the beginning. */
  readonly isSpaced: boolean;
}

/** A part of the text of an option that is a `$search` expression; `position` moves as tokens are read. */
export interface SearchReader {
  readonly text: string;
  /** Offset after the expression. */
  readonly end: number;
  readonly context: ParseContext;
  /** The target of errors: `$search`, or `$expand` for a nested one. */
  readonly option: string;
  position: number;
}

const OPERATORS: ReadonlyMap<string, "and" | "or" | "not"> = new Map([
  ["AND", "and"],
  ["OR", "or"],
  ["NOT", "not"],
]);

/**
 * Reads the next token. A word is a run of characters other than blanks, parentheses and double quotes; AND, OR and
 * NOT are operators in upper case only.
 * @throws ODataError 400 InvalidQueryOption for an empty or unclosed phrase, and above `maxTokens`
 * @see OData URL Conventions 4.0, section 5.1.7; ABNF searchWord, searchPhrase
 */
export function readSearchToken(reader: SearchReader): SearchToken {
  const start = reader.position;
  const position = skipBlanks(reader.text, start, reader.end);
  const isSpaced = position > start;
  reader.position = position;
  if (position === reader.end) return { kind: "end", text: "", position, isSpaced };
  countToken(reader);
  const character = reader.text[position];
  if (character === "(" || character === ")") {
    reader.position = position + 1;
    return { kind: character === "(" ? "open" : "close", text: character, position, isSpaced };
  }
  if (character === '"') return { kind: "phrase", text: readPhrase(reader), position, isSpaced };
  reader.position = wordEnd(reader.text, position, reader.end);
  const text = reader.text.slice(position, reader.position);
  return { kind: OPERATORS.get(text) ?? "word", text, position, isSpaced };
}

/** Makes the error of a `$search` expression. */
export function searchError(reader: SearchReader, position: number, message: string): ODataError {
  return syntaxError(reader.option, position, message);
}

function countToken(reader: SearchReader): void {
  const { counters, limits } = reader.context;
  counters.tokens += 1;
  if (counters.tokens > limits.maxTokens) {
    throw searchError(
      reader,
      reader.position,
      `the query has more than ${limits.maxTokens} tokens: shorten it, or send several requests.`,
    );
  }
}

/** Reads `"…"`, in which a backslash escapes a double quote or a backslash. */
function readPhrase(reader: SearchReader): string {
  const open = reader.position;
  const pieces: string[] = [];
  let start = open + 1;
  for (let at = start; at < reader.end; at += 1) {
    const character = reader.text[at];
    if (character === '"') {
      pieces.push(reader.text.slice(start, at));
      reader.position = at + 1;
      const phrase = pieces.join("");
      if (phrase === "") throw searchError(reader, open, "a phrase must contain at least one character.");
      return phrase;
    }
    if (character === "\\") {
      const next = at + 1 < reader.end ? reader.text[at + 1] : undefined;
      if (next !== '"' && next !== "\\") {
        throw searchError(reader, at, 'within a phrase a backslash is written \\\\ and a double quote \\".');
      }
      pieces.push(reader.text.slice(start, at));
      start = at + 1;
      at += 1;
    }
  }
  throw searchError(reader, open, "the phrase has no closing double quote.");
}

function wordEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && !isBlank(text.charCodeAt(at)) && !'()"'.includes(text.charAt(at))) at += 1;
  return at;
}

function skipBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Blank, tab, line feed, carriage return: a search text may come from an input of several lines. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
