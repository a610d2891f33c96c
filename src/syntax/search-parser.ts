import type { SearchSyntax } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";
import { type SearchReader, type SearchToken, readSearchToken, searchError } from "./search-lexer.ts";
import { quoteText } from "./syntax-error.ts";

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
