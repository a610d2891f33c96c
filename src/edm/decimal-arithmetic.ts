import { decimalFromNumber, fromScaled, scaleOf, toScaled, MAX_DECIMAL_DIGITS } from "./decimal.ts";
import type { Facets } from "./primitive-type.ts";

/**
 * Exact arithmetic: first on single canonical Decimals, then of whole expressions. Each operation on single Decimals returns null
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

/** Returns the shortest Decimal of a double, rounded half away from zero to a constant scale; null for NaN and infinities. */
export function decimalOfReal(value: number, scale: Facets["scale"]): string | null {
  const decimal = decimalFromNumber(value);
  return decimal === null || typeof scale !== "number" ? decimal : roundDecimal(decimal, "half-away-from-zero", scale);
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

/** An operator on two Decimals. @see OData URL Conventions 4.0, section 5.1.1.2 */
type DecimalOperator = "add" | "sub" | "mul" | "div" | "mod";

/** An intermediate integer: a number if it is a safe integer, otherwise a bigint, which is much slower. */
export type LooseInteger = number | bigint;

/**
 * A Decimal in an arithmetic expression: `scaled` divided by ten to the power of `scale`. Text is converted once per
 * expression, not once per operator.
 */
export interface ScaledDecimal {
  readonly scaled: LooseInteger;
  readonly scale: number;
}

/** Minimum number of fraction digits of a quotient, before trailing zeros are removed. */
export const QUOTIENT_SCALE: number = 12;
const LIMIT = 10n ** BigInt(MAX_DECIMAL_DIGITS);
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NEGATIVE_LIMIT = -LIMIT;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** A text of at most this many characters, without its point, is a safe integer. */
const SAFE_LENGTH = 15;
/** Powers of ten that are safe integers. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_none, exponent) => 10 ** exponent);

/** Returns the parts of a canonical Decimal. */
export function toScaledDecimal(value: string): ScaledDecimal {
  if (value.length > SAFE_LENGTH) {
    const scale = scaleOf(value);
    return { scaled: toScaled(value, scale), scale };
  }
  const isNegative = value.charCodeAt(0) === MINUS;
  let digits = 0;
  let point = value.length - 1;
  for (let at = isNegative ? 1 : 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code === POINT) point = at;
    else digits = digits * 10 + code - ZERO;
  }
  return { scaled: isNegative ? 0 - digits : digits, scale: value.length - 1 - point };
}

/** Returns the canonical Decimal of the parts. */
export function fromScaledDecimal({ scaled, scale }: ScaledDecimal): string {
  if (typeof scaled === "bigint") return fromScaled(scaled, scale);
  if (scale === 0) return String(scaled);
  const digits = String(Math.abs(scaled)).padStart(scale + 1, "0");
  return `${scaled < 0 ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/**
 * Computes with two Decimals: sum, difference, product and remainder are exact; a quotient is rounded half away from zero
 * to 12 fraction digits or the greater scale of the operands, and has no trailing zeros. It returns null for division by
 * zero, and for a result of more than MAX_DECIMAL_DIGITS digits.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function computeDecimals(
  operator: DecimalOperator,
  left: ScaledDecimal,
  right: ScaledDecimal,
): ScaledDecimal | null {
  const scale = operator === "mul" ? left.scale + right.scale : Math.max(left.scale, right.scale);
  const first = operator === "mul" ? left.scaled : rescale(left, scale);
  const second = operator === "mul" ? right.scaled : rescale(right, scale);
  if (operator !== "div" && typeof first === "number" && typeof second === "number") {
    const result = computeNumbers(operator, first, second);
    if (Number.isSafeInteger(result)) return bounded(result + 0, scale);
  }
  return computeExactly(operator, BigInt(first), BigInt(second), scale);
}

/** Computes with two numbers by IEEE 754. */
export function computeNumbers(operator: DecimalOperator, left: number, right: number): number {
  switch (operator) {
    case "add":
      return left + right;
    case "sub":
      return left - right;
    case "mul":
      return left * right;
    case "div":
      return left / right;
    case "mod":
      return left % right;
  }
}

function computeExactly(operator: DecimalOperator, left: bigint, right: bigint, scale: number): ScaledDecimal | null {
  switch (operator) {
    case "add":
      return bounded(left + right, scale);
    case "sub":
      return bounded(left - right, scale);
    case "mul":
      return bounded(left * right, scale);
    case "div":
      return right === 0n ? null : divide(left, right, Math.max(QUOTIENT_SCALE, scale));
    case "mod":
      return right === 0n ? null : bounded(left % right, scale);
  }
}

/**
 * Returns a sum divided by a whole number, rounded half away from zero to `scale` fraction digits, without trailing zeros;
 * null above MAX_DECIMAL_DIGITS digits.
 * @param count at least 1
 */
export function averageDecimal(sum: ScaledDecimal, count: number, scale: number): string | null {
  const average = divide(BigInt(sum.scaled), BigInt(count) * 10n ** BigInt(sum.scale), scale);
  return average === null ? null : fromScaledDecimal(average);
}

/** Returns the negated Decimal. */
export function negateScaledDecimal({ scaled, scale }: ScaledDecimal): ScaledDecimal {
  return { scaled: typeof scaled === "number" ? 0 - scaled : -scaled, scale };
}

/** Returns `scaled` of the same value at a greater scale. */
function rescale(value: ScaledDecimal, scale: number): LooseInteger {
  const exponent = scale - value.scale;
  if (exponent === 0) return value.scaled;
  if (typeof value.scaled === "number") {
    const product = value.scaled * (POWERS[exponent] ?? Number.NaN);
    if (Number.isSafeInteger(product)) return product;
  }
  return BigInt(value.scaled) * 10n ** BigInt(exponent);
}

function divide(dividend: bigint, divisor: bigint, scale: number): ScaledDecimal | null {
  const widened = dividend * 10n ** BigInt(scale);
  const quotient = widened / divisor;
  const rest = magnitude(widened % divisor);
  if (2n * rest < magnitude(divisor)) return withoutTrailingZeros(quotient, scale);
  return withoutTrailingZeros(quotient + (widened < 0n === divisor < 0n ? 1n : -1n), scale);
}

function withoutTrailingZeros(quotient: bigint, quotientScale: number): ScaledDecimal | null {
  let scale = quotientScale;
  if (magnitude(quotient) <= MAX_SAFE) {
    let safe = Number(quotient);
    for (; scale > 0 && safe % 10 === 0; scale -= 1) safe /= 10;
    return bounded(safe, scale);
  }
  let exact = quotient;
  for (; scale > 0 && exact % 10n === 0n; scale -= 1) exact /= 10n;
  return bounded(exact, scale);
}

/** Returns the absolute value. */
function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function bounded(scaled: LooseInteger, scale: number): ScaledDecimal | null {
  if (scale >= MAX_DECIMAL_DIGITS) return null;
  return typeof scaled === "number" || (scaled < LIMIT && scaled > NEGATIVE_LIMIT) ? { scaled, scale } : null;
}
