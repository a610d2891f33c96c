import { utf8Length } from "../../base/byte-count.ts";
import type { FunctionName } from "../../edm/canonical-functions.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { CallExpression, Expression, LiteralExpression, ParameterExpression, TextCalls } from "./expression.ts";
import { childrenOf, isPath } from "./walk-expression.ts";

/**
 * The most bytes of UTF-8 of all texts that a request computes from one entity, judged before they are made.
 * @see docs/reference/limits.md, Computed texts
 */
export const MAX_TEXT_BYTES = 64_000_000;

/** The most bytes of one text: by default, MariaDB makes no longer one. */
const MAX_ONE_TEXT = 16_000_000;

/** So many calls need no limit for functions of a property alone, which an index may serve. */
const FEW_CALLS = 8;

/** The most bytes of a character in UTF-8. */
const CHARACTER_BYTES = 4;

const TEXT_FUNCTIONS: ReadonlySet<FunctionName> = new Set([
  "concat",
  "tolower",
  "toupper",
  "trim",
  "substring",
] as const);

/** A text, or bytes, that a computed text is made of. */
export interface TextPart {
  readonly expression: Expression;
  /** The most characters that are taken of it; absent: all of them. */
  readonly most?: ParameterExpression | LiteralExpression;
}

/** Whether a call returns a text that is made of its arguments, or of bytes. */
export function makesText(expression: Expression): expression is CallExpression {
  if (expression.kind !== "call") return false;
  return TEXT_FUNCTIONS.has(expression.name) || isTextOfBytes(expression);
}

function isTextOfBytes({ name, type, arguments: [source] }: CallExpression): boolean {
  return name === "cast" && type.name === "Edm.String" && source?.type?.name === "Edm.Binary";
}

/** Counts a call that makes a text. */
export function counted(call: CallExpression, texts: TextCalls): CallExpression {
  texts.count += textsOf(call);
  return { ...call, texts };
}

/** Returns the number of texts that the calls in an expression make. */
export function countTexts(expression: Expression): number {
  return childrenOf(expression).reduce((sum, child) => sum + countTexts(child), textsOf(expression));
}

/** Returns the texts that an expression adds to those of its operands: concatenations within one another make one text. */
function textsOf(expression: Expression): number {
  if (!makesText(expression)) return 0;
  return isConcat(expression) ? 1 - expression.arguments.filter(isConcat).length : 1;
}

function isConcat(expression: Expression): boolean {
  return expression.kind === "call" && expression.name === "concat";
}

/** Returns the most bytes that the parts of a computed text may have: all texts of a request have the same share. */
export function mostBytes({ texts }: CallExpression): number {
  return Math.min(MAX_ONE_TEXT, Math.floor(MAX_TEXT_BYTES / Math.max(texts?.count ?? 1, 1)));
}

/** Returns the parts by which a computed text is judged; null for a call that is not judged. */
export function textParts(call: CallExpression): readonly TextPart[] | null {
  if (!makesText(call)) return null;
  const [text] = call.arguments;
  const isOfProperty = call.name !== "concat" && text !== undefined && !makesText(text) && !isTextOfBytes(call);
  return isOfProperty && (call.texts?.count ?? 1) <= FEW_CALLS ? null : partsOf(call);
}

function partsOf(expression: Expression): readonly TextPart[] {
  if (expression.kind !== "call") {
    const { type } = expression;
    return type?.name === "Edm.String" || type?.name === "Edm.Binary" ? [{ expression }] : [];
  }
  // The texts of other types are short.
  if (!makesText(expression)) return [];
  const { name, arguments: given } = expression;
  if (name === "concat") return given.flatMap(partsOf);
  const [text, , most] = given;
  if (text === undefined) return [];
  const isCut = name === "substring" && isPath(text) && (most?.kind === "parameter" || most?.kind === "literal");
  return isCut ? [{ expression: text, most }] : partsOf(text);
}

/** Returns the bytes of a part, or a number above `most`. Bytes count twice, since their text is longer. */
export function bytesOfPart(value: PrimitiveValue, most: number = MAX_ONE_TEXT): number {
  if (value instanceof Uint8Array) return 2 * value.byteLength;
  const text = String(value);
  return text.length > most ? text.length : utf8Length(text);
}

/** Returns the bytes that a number of characters may have; for a great number, more than any text may have. */
export function bytesOfCharacters(count: PrimitiveValue): number {
  return Math.min(Math.max(Number(count), 0) * CHARACTER_BYTES, MAX_TEXT_BYTES);
}
