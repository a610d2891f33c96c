import type { PrimitiveTypeName } from "../edm/primitive-type.ts";

/** Operators of two operands, `and` and `or` excepted. */
export type BinaryOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le" | "add" | "sub" | "mul" | "div" | "mod" | "has";

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

/**
 * A literal as written in a URL. Its type is what its spelling says: `5` is Edm.Int32 (Edm.Int64 or Edm.Decimal when
 * larger), `5.0` Edm.Decimal, `5e0` Edm.Double, `'x'` Edm.String, `Ns.Color'Red'` the enum of that name.
 */
export interface Literal {
  readonly type: PrimitiveTypeName | "enum" | "geo";
  /** The value's text: without prefix, suffix and quotes, doubled quotes undone. */
  readonly text: string;
  /** The qualified name before the quote, of an enum literal; the prefix of a geo literal. */
  readonly typeName?: string | undefined;
  /** Offset of the first character in the decoded text of the option; of a literal in an alias, that of its mention. */
  readonly position: number;
}

/**
 * Writes tokens as text with literals cut out and their types put in, one blank between words: `Price gt ?Edm.Int32`.
 * The type name of an enum literal and the prefix of a geo literal stay, for what is bound depends on them.
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
