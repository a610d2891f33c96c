import { assertNever } from "../base/assert-never.ts";
import { computeNumbers, type LooseInteger } from "../edm/scaled-decimal.ts";
import type { ArithmeticOperator } from "../query/expression.ts";

const INT64_BITS = 64;

/**
 * Computes with two integers as Edm.Int64. A result beyond Edm.Int64 and a division by zero are null. `div` truncates
 * toward zero, `mod` has the sign of the left operand.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function computeIntegers(
  operator: ArithmeticOperator,
  left: LooseInteger,
  right: LooseInteger,
): LooseInteger | null {
  if (typeof left === "number" && typeof right === "number") {
    const result = computeSafely(operator, left, right);
    if (result !== undefined) return result;
  }
  return computeExactly(operator, BigInt(left), BigInt(right));
}

/** Computes with numbers; undefined where the result may have been rounded, because it is not a safe integer. */
function computeSafely(operator: ArithmeticOperator, left: number, right: number): number | null | undefined {
  if (right === 0 && (operator === "div" || operator === "mod")) return null;
  // Subtracting the remainder first keeps the quotient exact: a rounded one could reach the next integer.
  const result = operator === "div" ? (left - (left % right)) / right : computeNumbers(operator, left, right);
  return Number.isSafeInteger(result) ? result : undefined;
}

function computeExactly(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | null {
  switch (operator) {
    case "add":
      return withinInt64(left + right);
    case "sub":
      return withinInt64(left - right);
    case "mul":
      return withinInt64(left * right);
    case "div":
      return right === 0n ? null : withinInt64(left / right);
    case "mod":
      return right === 0n ? null : left % right;
    default:
      return assertNever(operator);
  }
}

/** Returns `-x`; null for the one value whose negation is beyond Edm.Int64. */
export function negateInteger(value: LooseInteger): LooseInteger | null {
  return typeof value === "number" ? 0 - value : withinInt64(-value);
}

function withinInt64(value: bigint): bigint | null {
  return BigInt.asIntN(INT64_BITS, value) === value ? value : null;
}
