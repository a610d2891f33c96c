import type { ODataError } from "../../base/errors/odata-error.ts";
import type { LiteralSource } from "./literal-scanner.ts";
import type { ParseContext } from "./parse-context.ts";
import { syntaxError } from "./syntax-error.ts";
import type { Operator, Token, TokenKind } from "./token.ts";

/** The state that the lexers of an option and of its aliases share. */
export interface Expansion {
  readonly context: ParseContext;
  readonly tokens: Token[];
  /** The names of the aliases that are being expanded, outermost first. */
  readonly aliases: string[];
  characters: number;
}

/** The state of reading one text. */
export interface Lexer extends LiteralSource {
  readonly shared: Expansion;
  /** The alias that contains the text, with the position of its first mention; null for the option itself. */
  readonly alias: { readonly name: string; readonly position: number } | null;
  /** The depth at which the text starts; for an alias, the depth of its mention. */
  readonly startDepth: number;
  offset: number;
  /** Open parentheses. */
  depth: number;
  /** Prefix operators before the next operand. */
  prefixes: number;
  /** Whether an operand may start here; otherwise a word is an operator. */
  expectOperand: boolean;
  /** Whether the previous token is a slash, so that every word is a name. */
  afterSlash: boolean;
  /** Offset of the bracket that closes the current list of literals; -1 outside of a list. */
  listEnd: number;
}

/**
 * Adds a token and moves past it.
 * @param operator the operator, for a token of kind `operator`
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
      `the query has more than ${context.limits.maxTokens} tokens: shorten it, or send several requests.`,
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

/** Makes an error at an offset of the text. */
export function fault(lexer: Lexer, start: number, message: string): ODataError {
  return syntaxError(lexer.option, lexer.base + start, message);
}
