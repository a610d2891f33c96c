import type { BinaryOperator } from "./ast.ts";
import type { Literal } from "./literal-token.ts";

/** What a token is. Punctuation is its own kind; `"-"` is the minus sign that is not part of a number. */
export type TokenKind =
  | "name"
  | "operator"
  | "not"
  | "literal"
  | "null"
  | "alias"
  | "json"
  | "("
  | ")"
  | "["
  | "]"
  | ","
  | "/"
  | ":"
  | "="
  | "-"
  | "end";

/** An operator between two operands, and how tightly it binds: the higher, the tighter. */
export interface Operator {
  readonly symbol: BinaryOperator | "and" | "or" | "in";
  readonly precedence: number;
}

/** One token of an option's text. */
export interface Token {
  readonly kind: TokenKind;
  /** As written; empty for the parentheses that are put around the value of a parameter alias. */
  readonly text: string;
  /** Offset in the decoded text of the option; of the alias where the token comes from its value. */
  readonly position: number;
  /** The innermost parameter alias whose value holds the token. */
  readonly alias: string | null;
  /** Of kind `operator` only. */
  readonly operator: Operator | null;
  /** Of kind `literal` only, with its index among the literals of the request. */
  readonly literal: Literal | null;
  readonly index: number;
}

/** The tokens of one option, and its shape. */
export interface TokenList {
  /** What errors name as their target: `$filter`, `key`, … */
  readonly option: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Offset of the end of the text. */
  readonly end: number;
  /**
   * The text with blanks normalised, parameter aliases expanded and literals cut out, their types put in. Texts of
   * equal shape have trees that are equal but for the texts of literals (and positions).
   */
  readonly shape: string;
}

/**
 * Precedence of the unary operators `not` and `-`.
 * @see OData URL Conventions 4.0, section 5.1.1.9
 */
export const UNARY_PRECEDENCE = 7;

function level(precedence: number, ...symbols: ReadonlyArray<Operator["symbol"]>): ReadonlyArray<[string, Operator]> {
  return symbols.map((symbol) => [symbol, Object.freeze({ symbol, precedence })]);
}

/**
 * The operators between two operands by name. All associate to the left.
 * @see OData URL Conventions 4.0, section 5.1.1.9
 */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ...level(1, "or"),
  ...level(2, "and"),
  ...level(3, "eq", "ne"),
  ...level(4, "gt", "ge", "lt", "le", "in"),
  ...level(5, "add", "sub"),
  ...level(6, "mul", "div", "mod"),
  ...level(8, "has"),
]);

/** The precedence of an operator of the table. */
export function precedenceOf(symbol: Operator["symbol"]): number {
  return OPERATORS.get(symbol)?.precedence ?? 0;
}
