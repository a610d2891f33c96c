import type { ODataError } from "../errors/odata-error.ts";
import type { LiteralSource } from "./literal-scanner.ts";
import type { ParseContext } from "./parse-context.ts";
import { syntaxError } from "./syntax-error.ts";
import type { Operator, Token, TokenKind } from "./token.ts";

/** What the lexers of an option and of the aliases within it share. */
export interface Expansion {
  readonly context: ParseContext;
  readonly tokens: Token[];
  /** The aliases whose values are being read, outermost first. */
  readonly aliases: string[];
  characters: number;
}

/** The state of reading one text. */
export interface Lexer extends LiteralSource {
  readonly shared: Expansion;
  /** The alias whose value the text is, with the place where it is mentioned; null for the option itself. */
  readonly alias: { readonly name: string; readonly position: number } | null;
  /** The depth at which the text starts: of an alias, that of its place. */
  readonly startDepth: number;
  offset: number;
  /** Open parentheses. */
  depth: number;
  /** Prefix operators that wait for their operand. */
  prefixes: number;
  /** Whether an operand may start here; a word is an operator otherwise. */
  expectOperand: boolean;
  /** Whether the token before is a slash, so that every word is a name. */
  afterSlash: boolean;
  /** Offset of the bracket that closes the list of literals being read; -1 outside of one. */
  listEnd: number;
}

/**
 * Adds a token and moves behind it.
 * @param operator the operator that a token of that kind is
 * @throws ODataError 400 above `maxTokens`
 */
export function push(
  lexer: Lexer,
  kind: TokenKind,
  start: number,
  end: number,
  operator: Operator | null = null,
): void {
  const { context, tokens } = lexer.shared;
  context.counters.tokens += 1;
  if (context.counters.tokens > context.limits.maxTokens) {
    throw fault(
      lexer,
      start,
      `the query has more than ${context.limits.maxTokens} tokens: ask for less at once, or in several requests.`,
    );
  }
  const isLiteral = kind === "literal";
  tokens.push({
    kind,
    text: lexer.text.slice(start, end),
    position: lexer.alias === null ? lexer.base + start : lexer.alias.position,
    alias: lexer.alias === null ? null : lexer.alias.name,
    operator,
    literal: isLiteral ? (lexer.literals.at(-1) ?? null) : null,
    index: isLiteral ? lexer.literals.length - 1 : -1,
  });
  lexer.offset = end;
  lexer.afterSlash = false;
}

/** Adds a token that ends an operand: an operator or the end of the expression stands behind it. */
export function addOperand(lexer: Lexer, kind: TokenKind, start: number, end: number): void {
  push(lexer, kind, start, end);
  lexer.expectOperand = false;
  lexer.prefixes = 0;
}

/**
 * Refuses what is nested too deep, before more of it is read.
 * @throws ODataError 400 above `maxDepth`
 */
export function checkDepth(lexer: Lexer, start: number): void {
  const { maxDepth } = lexer.shared.context.limits;
  if (lexer.depth + lexer.prefixes > maxDepth) {
    throw fault(
      lexer,
      start,
      `the expression is nested deeper than ${maxDepth} levels: write it with fewer parentheses, calls and operators within one another.`,
    );
  }
}

/** Makes an error at an offset of the text. */
export function fault(lexer: Lexer, start: number, message: string): ODataError {
  return syntaxError(lexer.option, lexer.base + start, message);
}
