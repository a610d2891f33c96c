import { isDigit } from "../../edm/decimal.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";

/** Operators with two operands, except `and` and `or`. */
export type BinaryOperator =
  | "eq"
  | "ne"
  | "gt"
  | "ge"
  | "lt"
  | "le"
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "divby"
  | "mod"
  | "has";

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
  ...level(6, "mul", "div", "divby", "mod"),
  ...level(8, "has"),
]);

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
    else if (token.kind === "not") shape += "not";
    else shape += token.operator?.symbol ?? (token.text === "" ? token.kind : token.text);
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

const DIGIT = 1;
const HEX = 2;
const NAME_START = 4;
const NAME_PART = 8;

/** Classes of the ASCII characters by code. */
const CLASSES: Uint8Array = classify();

function classify(): Uint8Array {
  const classes = new Uint8Array(128);
  const add = (first: string, last: string, mask: number): void => {
    classes.fill(mask, first.charCodeAt(0), last.charCodeAt(0) + 1);
  };
  add("0", "9", DIGIT | HEX | NAME_PART);
  add("A", "Z", NAME_START | NAME_PART);
  add("a", "z", NAME_START | NAME_PART);
  add("_", "_", NAME_START | NAME_PART);
  add("A", "F", HEX | NAME_START | NAME_PART);
  add("a", "f", HEX | NAME_START | NAME_PART);
  return classes;
}

/** Returns whether a character code (NaN after the end of a text) has one of the ASCII classes of a mask. */
function isOfClass(code: number, mask: number): boolean {
  return ((CLASSES[code] ?? 0) & mask) !== 0;
}

/** Returns whether a character code is a hexadecimal digit. */
export function isHexDigit(code: number): boolean {
  return isOfClass(code, HEX);
}

/** Returns whether two digits begin at `offset`. */
export function hasTwoDigits(text: string, offset: number): boolean {
  return isDigit(text.charCodeAt(offset)) && isDigit(text.charCodeAt(offset + 1));
}

/** Returns the offset after the decimal digits that start at `start`. */
export function skipDigits(text: string, start: number): number {
  let offset = start;
  while (isDigit(text.charCodeAt(offset))) offset += 1;
  return offset;
}

/**
 * Returns the offset after the name that starts at `start`, or `start` itself without a name.
 * @see ABNF rule odataIdentifier
 */
export function skipName(text: string, start: number): number {
  let offset = start + nameCharacterLength(text, start, NAME_START);
  if (offset === start) return start;
  for (;;) {
    const length = nameCharacterLength(text, offset, NAME_PART);
    if (length === 0) return offset;
    offset += length;
  }
}

/**
 * Returns the offset after the dotted name that starts at `start`, or `start` itself without a name.
 * @see ABNF rules odataIdentifier, namespace
 */
export function skipDottedName(text: string, start: number): number {
  let end = skipName(text, start);
  while (end > start && text.charCodeAt(end) === 46) {
    const next = skipName(text, end + 1);
    if (next === end + 1) break;
    end = next;
  }
  return end;
}

/** Returns whether the character at `offset` could continue a name. */
export function isNamePart(text: string, offset: number): boolean {
  return nameCharacterLength(text, offset, NAME_PART) > 0;
}

/** Returns the length in code units of the character at `offset` if it belongs to the class, else 0. */
function nameCharacterLength(text: string, offset: number, mask: typeof NAME_START | typeof NAME_PART): number {
  const code = text.charCodeAt(offset);
  if (code < 128) return isOfClass(code, mask) ? 1 : 0;
  const point = text.codePointAt(offset);
  if (point === undefined) return 0;
  const character = String.fromCodePoint(point);
  // Here, because V8 takes a part of a millisecond to read the letters of all scripts, where a pattern has them.
  const unicode = mask === NAME_START ? /^[\p{L}\p{Nl}]$/u : /^[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]$/u;
  return unicode.test(character) ? character.length : 0;
}

/**
 * Returns whether a text is a simple identifier: a letter or underscore, then letters, digits and underscores.
 * @see OData CSDL 4.0, section 17.2; ABNF odataIdentifier
 */
export function isIdentifier(text: string): boolean {
  return text !== "" && skipName(text, 0) === text.length;
}
