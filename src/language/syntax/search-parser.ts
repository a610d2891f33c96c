import type { ODataError } from "../../base/errors/odata-error.ts";
import type { SearchSyntax } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";

/** A part of the text of an option. */
export interface SearchStretch {
  readonly start: number;
  readonly end: number;
  /** The option that contains the text: the target of errors. */
  readonly option: string;
}

interface SearchState {
  readonly reader: SearchReader;
  token: SearchToken;
  nodes: number;
}

/**
 * Parses a `$search` expression: words and phrases joined by AND (which may be left out) and OR, with NOT before a
 * word, phrase or parenthesis. NOT binds tighter than AND, AND tighter than OR; chains of one operator stay flat.
 * @param text the decoded text of the option
 * @param stretch the part of `text` with the expression, for a search nested in `$expand`
 * @throws ODataError 400 InvalidQueryOption with the position, also above the limits on tokens, nodes and depth
 * @see OData URL Conventions 4.0, section 5.1.7; ABNF searchExpr
 */
export function parseSearch(text: string, context: ParseContext, stretch?: SearchStretch): SearchSyntax {
  const reader: SearchReader = {
    text,
    context,
    position: stretch?.start ?? 0,
    end: stretch?.end ?? text.length,
    option: stretch?.option ?? "$search",
  };
  const state: SearchState = { reader, token: readSearchToken(reader), nodes: 0 };
  const expression = parseOr(state, 0);
  if (state.token.kind !== "end") {
    throw searchError(reader, state.token.position, "this closing parenthesis has no opening parenthesis.");
  }
  return expression;
}

function parseOr(state: SearchState, depth: number): SearchSyntax {
  const position = state.token.position;
  const operands = [parseAnd(state, depth)];
  while (state.token.kind === "or") {
    advance(state);
    operands.push(parseAnd(state, depth));
  }
  return join(state, "or", operands, position);
}

function parseAnd(state: SearchState, depth: number): SearchSyntax {
  const position = state.token.position;
  const operands = [parseNot(state, depth)];
  for (;;) {
    const { kind, isSpaced } = state.token;
    if (kind === "end" || kind === "close") break;
    if (!isSpaced) throw searchError(state.reader, state.token.position, "put a blank between two terms.");
    if (kind === "or") break;
    if (kind === "and") advance(state);
    operands.push(parseNot(state, depth));
  }
  return join(state, "and", operands, position);
}

function parseNot(state: SearchState, depth: number): SearchSyntax {
  if (state.token.kind !== "not") return parseTerm(state, depth);
  const { position } = state.token;
  advance(state);
  const operand = parseTerm(state, depth);
  countNode(state);
  return { kind: "not", operand, position };
}

function parseTerm(state: SearchState, depth: number): SearchSyntax {
  const { kind, text, position } = state.token;
  switch (kind) {
    case "word":
      if (text.startsWith("'")) {
        throw searchError(
          state.reader,
          position,
          `${quoteText(text)} begins with a single quote: write a phrase in double quotes.`,
        );
      }
      advance(state);
      countNode(state);
      return { kind, text, position };
    case "phrase":
      advance(state);
      countNode(state);
      return { kind, text, position };
    case "open":
      return parseParentheses(state, depth);
    case "and":
    case "or":
    case "not":
      throw searchError(
        state.reader,
        position,
        `${text} is an operator and is not allowed here; to search for the word, write it in double quotes.`,
      );
    case "close":
    case "end":
      throw searchError(
        state.reader,
        position,
        "a word, a phrase in double quotes or an opening parenthesis is missing.",
      );
  }
}

function parseParentheses(state: SearchState, depth: number): SearchSyntax {
  const { reader, token } = state;
  if (depth >= reader.context.limits.maxDepth) {
    throw searchError(
      reader,
      token.position,
      `the search nests deeper than ${reader.context.limits.maxDepth} levels: use fewer nested parentheses.`,
    );
  }
  advance(state);
  const expression = parseOr(state, depth + 1);
  if (state.token.kind !== "close") {
    throw searchError(
      reader,
      state.token.position,
      `the parenthesis opened at position ${token.position} is not closed.`,
    );
  }
  advance(state);
  return expression;
}

function join(
  state: SearchState,
  kind: "and" | "or",
  operands: readonly SearchSyntax[],
  position: number,
): SearchSyntax {
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return only;
  countNode(state);
  return { kind, operands, position };
}

function advance(state: SearchState): void {
  state.token = readSearchToken(state.reader);
}

function countNode(state: SearchState): void {
  const { limits, counters } = state.reader.context;
  state.nodes += 1;
  counters.nodes += 1;
  if (state.nodes > limits.maxNodeCount) {
    throw searchError(
      state.reader,
      state.token.position,
      `the search has more than ${limits.maxNodeCount} parts: search for fewer words at once.`,
    );
  }
}

/** A token of a `$search` expression. */
interface SearchToken {
  readonly kind: "word" | "phrase" | "and" | "or" | "not" | "open" | "close" | "end";
  /** The word; the phrase without quotes and escapes. */
  readonly text: string;
  readonly position: number;
  /** Whether a blank precedes it, or the beginning. */
  readonly isSpaced: boolean;
}

/** A part of the text of an option that is a `$search` expression; `position` moves as tokens are read. */
interface SearchReader {
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
function readSearchToken(reader: SearchReader): SearchToken {
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
function searchError(reader: SearchReader, position: number, message: string): ODataError {
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
