import type { PrimitiveTypeName } from "../edm/primitive-type.ts";

/** Operators with two operands, except `and` and `or`. */
export type BinaryOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le" | "add" | "sub" | "mul" | "div" | "mod" | "has";

/** The kind of a token. Punctuation is its own kind; `"-"` is a minus sign that is not part of a number. */
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

/** An operator between two operands; a higher precedence binds more tightly. */
export interface Operator {
  readonly symbol: BinaryOperator | "and" | "or" | "in";
  readonly precedence: number;
}

/** One token of an option's text. */
export interface Token {
  readonly kind: TokenKind;
  /** As written; empty for parentheses added around the value of a parameter alias. */
  readonly text: string;
  /** Offset in the decoded text of the option; for a token from a parameter alias, the offset of the alias. */
  readonly position: number;
  /** The innermost parameter alias whose value contains the token. */
  readonly alias: string | null;
  /** Of kind `operator` only. */
  readonly operator: Operator | null;
  /** Of kind `literal` only, with its index among the literals of the request. */
  readonly literal: Literal | null;
  readonly index: number;
}

/** The tokens of one option, and its shape. */
export interface TokenList {
  /** The target of errors: `$filter`, `key`, … */
  readonly option: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Offset of the end of the text. */
  readonly end: number;
  /**
   * The text with normalised blanks, expanded parameter aliases, and literals replaced by their types. Texts of equal
   * shape have the same tree, except for the texts of literals and positions.
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

/** Returns the precedence of an operator. */
export function precedenceOf(symbol: Operator["symbol"]): number {
  return OPERATORS.get(symbol)?.precedence ?? 0;
}

/**
 * A literal as written in a URL. Its spelling decides on its type: `5` is Edm.Int32 (or Edm.Int64 or Edm.Decimal if it is
 * larger), `5.0` Edm.Decimal, `5e0` Edm.Double, `'x'` Edm.String, `Ns.Color'Red'` the enum of that name.
 */
export interface Literal {
  readonly type: PrimitiveTypeName | "enum" | "geo";
  /** The text without prefix, suffix and quotes, doubled quotes replaced. */
  readonly text: string;
  /** The qualified name before the quote, of an enum literal; the prefix of a geo literal. */
  readonly typeName?: string | undefined;
  /** Offset of the first character in the decoded text of the option; for a literal in an alias, that of the alias. */
  readonly position: number;
}

/**
 * Writes tokens as text with literals replaced by their types and one blank between words: `Price gt ?Edm.Int32`. The
 * type name of an enum literal and the prefix of a geo literal remain, because the bound expression depends on them.
 */
export function toShape(tokens: readonly Token[]): string {
  let shape = "";
  let afterWord = false;
  for (const token of tokens) {
    const isWord = isWordToken(token);
    if (isWord && afterWord) shape += " ";
    if (token.literal !== null) shape += shapeOfLiteral(token.literal);
    else shape += token.text === "" ? token.kind : token.text;
    afterWord = isWord;
  }
  return shape;
}

function isWordToken(token: Token): boolean {
  switch (token.kind) {
    case "name":
    case "operator":
    case "not":
    case "literal":
    case "null":
    case "alias":
      return true;
    default:
      return false;
  }
}

function shapeOfLiteral(literal: Literal): string {
  return literal.typeName === undefined ? `?${literal.type}` : `?${literal.type}:${literal.typeName}`;
}
