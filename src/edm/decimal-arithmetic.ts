import { fromScaled, MAX_DECIMAL_DIGITS, scaleOf, toScaled } from "./decimal.ts";

/**
 * Exact arithmetic on canonical Decimals. Every operation answers null when its result would have more than
 * MAX_DECIMAL_DIGITS digits; a quotient or remainder also for a divisor of zero.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */

/** How a midpoint is rounded. */
export type DecimalRounding = "half-away-from-zero" | "half-to-even";

/** Fraction digits that a quotient has at least, before its trailing zeros are cut. */
const QUOTIENT_SCALE = 12;

/** The sum; its scale is the greater of the two. */
export function addDecimals(left: string, right: string): string | null {
  const scale = Math.max(scaleOf(left), scaleOf(right));
  return bounded(fromScaled(toScaled(left, scale) + toScaled(right, scale), scale));
}

/** The difference; its scale is the greater of the two. */
export function subtractDecimals(left: string, right: string): string | null {
  const scale = Math.max(scaleOf(left), scaleOf(right));
  return bounded(fromScaled(toScaled(left, scale) - toScaled(right, scale), scale));
}

/** The product; its scale is the sum of the two. */
export function multiplyDecimals(left: string, right: string): string | null {
  const leftScale = scaleOf(left);
  const rightScale = scaleOf(right);
  return bounded(fromScaled(toScaled(left, leftScale) * toScaled(right, rightScale), leftScale + rightScale));
}

/**
 * The quotient, rounded half away from zero to 12 fraction digits (or as many as the operand with the greater scale
 * has), without trailing zeros; null for a divisor of zero.
 */
export function divideDecimals(left: string, right: string): string | null {
  const operandScale = Math.max(scaleOf(left), scaleOf(right));
  const divisor = toScaled(right, operandScale);
  if (divisor === 0n) return null;
  const scale = Math.max(QUOTIENT_SCALE, operandScale);
  const dividend = toScaled(left, operandScale + scale);
  return bounded(withoutTrailingZeros(fromScaled(divideRounded(dividend, divisor, "half-away-from-zero"), scale)));
}

/** The remainder of the truncated quotient: it has the sign of the left operand; null for a divisor of zero. */
export function moduloDecimals(left: string, right: string): string | null {
  const scale = Math.max(scaleOf(left), scaleOf(right));
  const divisor = toScaled(right, scale);
  return divisor === 0n ? null : bounded(fromScaled(toScaled(left, scale) % divisor, scale));
}

/** The value with its sign turned. */
export function negateDecimal(value: string): string {
  if (value.startsWith("-")) return value.slice(1);
  return /[1-9]/.test(value) ? `-${value}` : value;
}

/** The value rounded to at most `scale` fraction digits, an integer by default. */
export function roundDecimal(value: string, rounding: DecimalRounding, scale = 0): string {
  const valueScale = scaleOf(value);
  if (valueScale <= scale) return value;
  const unit = 10n ** BigInt(valueScale - scale);
  return fromScaled(divideRounded(toScaled(value, valueScale), unit, rounding), scale);
}

/** The greatest integer that is not greater than the value. */
export function floorDecimal(value: string): string {
  return roundDown(value, value.startsWith("-"));
}

/** The least integer that is not less than the value. */
export function ceilingDecimal(value: string): string {
  return roundDown(value, !value.startsWith("-"));
}

/** Cuts the fraction, and steps away from zero when one was cut and `awayFromZero` says so. */
function roundDown(value: string, awayFromZero: boolean): string {
  const scale = scaleOf(value);
  if (scale === 0) return value;
  const scaled = toScaled(value, scale);
  const unit = 10n ** BigInt(scale);
  const whole = scaled / unit;
  if (!awayFromZero || scaled % unit === 0n) return whole.toString();
  return (scaled < 0n ? whole - 1n : whole + 1n).toString();
}

/** The value without zeros at the end of its fraction. */
export function withoutTrailingZeros(value: string): string {
  if (!value.includes(".")) return value;
  let end = value.length;
  while (value.endsWith("0", end)) end -= 1;
  return value.slice(0, value.endsWith(".", end) ? end - 1 : end);
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

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function bounded(value: string): string | null {
  if (value.length <= MAX_DECIMAL_DIGITS) return value;
  const marks = (value.startsWith("-") ? 1 : 0) + (value.includes(".") ? 1 : 0);
  return value.length - marks > MAX_DECIMAL_DIGITS ? null : value;
}
