import { fromScaled, MAX_DECIMAL_DIGITS, scaleOf, toScaled } from "../edm/decimal.ts";
import { assertNever } from "../errors/assert-never.ts";
import type { ArithmeticOperator } from "../query/expression.ts";

/**
 * A Decimal on its way through an arithmetic expression: `scaled` divided by ten to the power of `scale`. Text is read
 * and written once per expression, not once per operator.
 */
export interface ScaledDecimal {
  readonly scaled: bigint;
  readonly scale: number;
}

/** Fraction digits that a quotient has at least. */
const QUOTIENT_SCALE = 12;
const LIMIT = 10n ** BigInt(MAX_DECIMAL_DIGITS);

/** The parts of a canonical Decimal. */
export function toScaledDecimal(value: string): ScaledDecimal {
  const scale = scaleOf(value);
  return { scaled: toScaled(value, scale), scale };
}

/** The canonical Decimal of the parts. */
export function fromScaledDecimal({ scaled, scale }: ScaledDecimal): string {
  return fromScaled(scaled, scale);
}

/**
 * Computes with two Decimals: sum, difference, product and remainder are exact; a quotient is rounded half away from
 * zero to 12 fraction digits, or as many as the operand with the greater scale has. Null stands for division by zero,
 * and for a result of more than MAX_DECIMAL_DIGITS digits.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function computeDecimals(
  operator: ArithmeticOperator,
  left: ScaledDecimal,
  right: ScaledDecimal,
): ScaledDecimal | null {
  if (operator === "mul") return bounded(left.scaled * right.scaled, left.scale + right.scale);
  const scale = Math.max(left.scale, right.scale);
  const leftScaled = rescale(left, scale);
  const rightScaled = rescale(right, scale);
  switch (operator) {
    case "add":
      return bounded(leftScaled + rightScaled, scale);
    case "sub":
      return bounded(leftScaled - rightScaled, scale);
    case "div":
      return rightScaled === 0n ? null : divide(leftScaled, rightScaled, Math.max(QUOTIENT_SCALE, scale));
    case "mod":
      return rightScaled === 0n ? null : bounded(leftScaled % rightScaled, scale);
    default:
      return assertNever(operator);
  }
}

/** The Decimal with its sign turned. */
export function negateScaledDecimal({ scaled, scale }: ScaledDecimal): ScaledDecimal {
  return { scaled: -scaled, scale };
}

function rescale(value: ScaledDecimal, scale: number): bigint {
  return value.scale === scale ? value.scaled : value.scaled * 10n ** BigInt(scale - value.scale);
}

function divide(dividend: bigint, divisor: bigint, scale: number): ScaledDecimal | null {
  const widened = dividend * 10n ** BigInt(scale);
  const quotient = widened / divisor;
  const rest = magnitude(widened % divisor);
  if (2n * rest < magnitude(divisor)) return bounded(quotient, scale);
  return bounded(quotient + (widened < 0n === divisor < 0n ? 1n : -1n), scale);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function bounded(scaled: bigint, scale: number): ScaledDecimal | null {
  return scale < MAX_DECIMAL_DIGITS && scaled < LIMIT && scaled > -LIMIT ? { scaled, scale } : null;
}
