import { fromScaled, scaleOf, toScaled } from "./decimal.ts";
import {
  computeDecimals,
  fromScaledDecimal,
  magnitude,
  toScaledDecimal,
  type DecimalOperator,
} from "./scaled-decimal.ts";

/**
 * Exact arithmetic on single canonical Decimals; `scaled-decimal.ts` computes whole expressions. Each operation returns null
 * if its result would have more than MAX_DECIMAL_DIGITS digits, and for a divisor of zero.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */

/** The rounding of a midpoint. */
type DecimalRounding = "half-away-from-zero" | "half-to-even";

/** Returns the sum; its scale is the greater of the two. */
export function addDecimals(left: string, right: string): string | null {
  return compute("add", left, right);
}

/** Returns the difference; its scale is the greater of the two. */
export function subtractDecimals(left: string, right: string): string | null {
  return compute("sub", left, right);
}

/** Returns the product; its scale is the sum of the two. */
export function multiplyDecimals(left: string, right: string): string | null {
  return compute("mul", left, right);
}

/**
 * Returns the quotient, rounded half away from zero to 12 fraction digits or the greater scale of the operands, without
 * trailing zeros; null for a divisor of zero.
 */
export function divideDecimals(left: string, right: string): string | null {
  return compute("div", left, right);
}

/** Returns the remainder of the truncated quotient, with the sign of the left operand; null for a divisor of zero. */
export function moduloDecimals(left: string, right: string): string | null {
  return compute("mod", left, right);
}

function compute(operator: DecimalOperator, left: string, right: string): string | null {
  const result = computeDecimals(operator, toScaledDecimal(left), toScaledDecimal(right));
  return result === null ? null : fromScaledDecimal(result);
}

/** Returns the negated value. */
export function negateDecimal(value: string): string {
  if (value.startsWith("-")) return value.slice(1);
  return /[1-9]/.test(value) ? `-${value}` : value;
}

/** Returns the value rounded to at most `scale` fraction digits, by default to an integer. */
export function roundDecimal(value: string, rounding: DecimalRounding, scale = 0): string {
  const valueScale = scaleOf(value);
  if (valueScale <= scale) return value;
  const unit = 10n ** BigInt(valueScale - scale);
  return fromScaled(divideRounded(toScaled(value, valueScale), unit, rounding), scale);
}

/** Returns the greatest integer that is not greater than the value. */
export function floorDecimal(value: string): string {
  return roundDown(value, value.startsWith("-"));
}

/** Returns the least integer that is not less than the value. */
export function ceilingDecimal(value: string): string {
  return roundDown(value, !value.startsWith("-"));
}

/** Removes the fraction, and rounds a value with a fraction away from zero if `awayFromZero` is true. */
function roundDown(value: string, awayFromZero: boolean): string {
  const scale = scaleOf(value);
  if (scale === 0) return value;
  const scaled = toScaled(value, scale);
  const unit = 10n ** BigInt(scale);
  const whole = scaled / unit;
  if (!awayFromZero || scaled % unit === 0n) return whole.toString();
  return (scaled < 0n ? whole - 1n : whole + 1n).toString();
}

function divideRounded(dividend: bigint, divisor: bigint, rounding: DecimalRounding): bigint {
  const quotient = dividend / divisor;
  const twice = 2n * magnitude(dividend % divisor);
  const unit = magnitude(divisor);
  const isMidpoint = twice === unit;
  const isAway = twice > unit || (isMidpoint && (rounding === "half-away-from-zero" || quotient % 2n !== 0n));
  if (!isAway) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}
