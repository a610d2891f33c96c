import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { SyntaxNode } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";
import { OPERATORS, type Token, type TokenKind, type TokenList } from "./token.ts";

/** The state of the parsers of one token list: their position, and their use of the limits. */
export interface TokenCursor {
  readonly list: TokenList;
  readonly context: ParseContext;
  /** The next token; of kind `end` after the last. */
  token: Token;
  index: number;
  readonly end: Token;
  /** The current depth of recursion. */
  depth: number;
  /** Height of the last tree; 1 for a leaf. */
  height: number;
  /** Number of nodes so far. */
  nodes: number;
  /** Range variables of the enclosing lambda operators. */
  readonly variables: string[];
  /** Reads a total of the rows that a step of `$apply` receives, at `$these`; null where it is not supported. */
  readThese: ((reader: TokenCursor) => SyntaxNode) | null;
  /** Reads one whole expression: the parsers of nested expressions call it. */
  readonly readExpression: (reader: TokenCursor) => SyntaxNode;
}

/** Starts reading a token list. */
export function openReader(
  list: TokenList,
  context: ParseContext,
  readExpression: (reader: TokenCursor) => SyntaxNode,
): TokenCursor {
  const end: Token = {
    kind: "end",
    text: "",
    position: list.end,
    alias: null,
    operator: null,
    literal: null,
    index: -1,
  };
  const token = list.tokens[0] ?? end;
  const state = { token, index: 0, depth: 0, height: 0, nodes: 0, readThese: null };
  return { list, context, end, ...state, variables: [], readExpression };
}

/** Moves to the next token and returns the current one. */
export function take(reader: TokenCursor): Token {
  const { token } = reader;
  reader.index += 1;
  reader.token = reader.list.tokens[reader.index] ?? reader.end;
  return token;
}

/** Returns the token `distance` after the current one. */
export function lookAhead(reader: TokenCursor, distance: number): Token {
  return reader.list.tokens[reader.index + distance] ?? reader.end;
}

/**
 * Takes a token of the given kind.
 * @param expected the missing token, for the message
 * @throws ODataError 400 for another token
 */
export function expect(reader: TokenCursor, kind: TokenKind, expected: string): Token {
  if (reader.token.kind !== kind) throw unexpected(reader, expected);
  return take(reader);
}

/**
 * Begins a recursive call. Call `leave` after it.
 * @throws ODataError 400 above `maxDepth`
 */
export function enter(reader: TokenCursor): void {
  const { maxDepth } = reader.context.limits;
  if (reader.depth >= maxDepth) {
    throw faultAt(
      reader,
      reader.token,
      `the expression is nested deeper than ${maxDepth} levels: use fewer nested parentheses, calls and operators.`,
    );
  }
  reader.depth += 1;
}

/** Ends a recursive call. */
export function leave(reader: TokenCursor): void {
  reader.depth -= 1;
}

/**
 * Counts a node and records the height of its tree. The limit on the height prevents later recursive readers from
 * overflowing the stack, also for long chains.
 * @throws ODataError 400 above `maxNodeCount` or `maxDepth`
 */
export function counted<Node extends SyntaxNode>(reader: TokenCursor, node: Node, height: number): Node {
  const { limits, counters } = reader.context;
  counters.nodes += 1;
  reader.nodes += 1;
  if (reader.nodes > limits.maxNodeCount) {
    throw faultAt(
      reader,
      node,
      `the expression has more than ${limits.maxNodeCount} operators, names and values: simplify it, or pass the values to 'in' as a list.`,
    );
  }
  if (height > limits.maxDepth) {
    throw faultAt(reader, node, `the expression chains or nests more than ${limits.maxDepth} operations: simplify it.`);
  }
  reader.height = height;
  return node;
}

/** Makes an error at a token or node. */
export function faultAt(reader: TokenCursor, place: { readonly position: number }, message: string): ODataError {
  return syntaxError(reader.list.option, place.position, message);
}

/** Makes the error of a construct of the standard that the service does not support, at a token or node. */
export function unsupportedAt(
  { list: { option } }: TokenCursor,
  { position }: { readonly position: number },
  message: string,
): ODataError {
  return protocolError("UnsupportedQueryOption", `${option} at position ${position}: ${message}`, { target: option });
}

/** Makes the error of an unexpected token. */
export function unexpected(reader: TokenCursor, expected: string): ODataError {
  const { token } = reader;
  const hint = hintFor(token, reader.list.tokens[reader.index - 1]);
  return faultAt(reader, token, `expected ${expected}, found ${describe(token)}.${hint === "" ? "" : ` ${hint}`}`);
}

function describe(token: Token): string {
  if (token.kind === "end") return "the end";
  if (token.text === "") return `the ${token.kind === "(" ? "start" : "end"} of the value of ${String(token.alias)}`;
  return token.alias === null ? quoteText(token.text) : `${quoteText(token.text)} in the value of ${token.alias}`;
}

function hintFor(token: Token, before: Token | undefined): string {
  if (before?.kind === "name" && /^not$/iu.test(before.text)) return "Write not in lower case, before its operand.";
  switch (token.kind) {
    case "=":
      return "Write eq to compare.";
    case "-":
      return "Write sub to subtract.";
    case "name": {
      const lower = token.text.toLowerCase();
      const isKeyword = OPERATORS.has(lower) || lower === "not" || lower === "asc" || lower === "desc";
      return isKeyword && lower !== token.text ? `Write ${lower}: operators are in lower case.` : "";
    }
    default:
      return "";
  }
}
