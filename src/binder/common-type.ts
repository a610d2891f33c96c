import { isWrittenInQuotes } from "../edm/literal.ts";
import type { ScalarType } from "../query/expression.ts";
import { isPrimitive } from "./operand.ts";
import { comparisonType } from "./type-promotion.ts";

/** What is known of an operand when types are matched. */
export interface TypedOperand {
  /** Null for the literal null, which takes any type. */
  readonly type: ScalarType | null;
  /** A string literal may hold an enumeration member or a Guid; other strings may not. */
  readonly isLiteral: boolean;
}

/**
 * The type in which two operands are compared.
 * @returns null for two nulls; undefined when the operands cannot be compared
 */
export function commonType(left: TypedOperand, right: TypedOperand): ScalarType | null | undefined {
  if (left.type === null || right.type === null) return left.type ?? right.type;
  if (isQuotedValue(left, right.type)) return right.type;
  if (isQuotedValue(right, left.type)) return left.type;
  return comparisonType(left.type, right.type);
}

/** Tells whether an operand is a text in quotes beside a type whose values may be written so. */
function isQuotedValue(operand: TypedOperand, type: ScalarType): boolean {
  return operand.isLiteral && isPrimitive(operand.type, "Edm.String") && isWrittenInQuotes(type);
}
