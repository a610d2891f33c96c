/**
 * Edm.Decimal as a canonical string: an optional minus, digits without a leading zero, and a fraction with its scale as
 * written: `1.10` remains `1.10`. Zero has no sign.
 */

/**
 * Maximum number of digits of a Decimal, also as the result of arithmetic. It exceeds the limits of all databases and the
 * 340 digits of the smallest Double, but prevents expensive requests.
 */
export const MAX_DECIMAL_DIGITS = 1000;

const CANONICAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const ACCEPTED = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ONLY_ZEROS = /^[0.]*$/;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/**
 * Returns the canonical form of a Decimal, or null for an invalid text and for more than MAX_DECIMAL_DIGITS digits. An
 * exponent, as in JSON numbers, is accepted and expanded.
 * @see OData ABNF, decimalValue
 */
export function parseDecimal(text: string): string | null {
  if (text.length <= MAX_DECIMAL_DIGITS && CANONICAL.test(text)) return withoutNegativeZero(text);
  // A valid text is not much longer than its digits. An overlong text must not cost repeated scans.
  if (text.length > 2 * MAX_DECIMAL_DIGITS) return null;
  const match = ACCEPTED.exec(text);
  if (match === null) return null;
  const fraction = match[3] ?? "";
  const digits = `${match[2] ?? ""}${fraction}`.replace(/^0+/, "");
  const scale = fraction.length - Number(match[4] ?? "0");
  return writeDigits(match[1] === "-", digits, scale);
}

/** Writes `digits`, without leading zeros, times ten to the power of minus `scale`; null beyond the limit. */
function writeDigits(isNegative: boolean, digits: string, scale: number): string | null {
  if (digits === "" && scale <= 0) return "0";
  if (Math.max(digits.length, scale + 1, digits.length - scale) > MAX_DECIMAL_DIGITS) return null;
  const whole = scale < 0 ? digits + "0".repeat(-scale) : digits.padStart(scale + 1, "0");
  return withoutNegativeZero((isNegative ? "-" : "") + placePoint(whole, Math.max(scale, 0)));
}

function placePoint(digits: string, scale: number): string {
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function withoutNegativeZero(text: string): string {
  return text.charCodeAt(0) === MINUS && ONLY_ZEROS.test(text.slice(1)) ? text.slice(1) : text;
}

/** Returns the number of fraction digits of a canonical Decimal. */
export function scaleOf(value: string): number {
  const point = value.indexOf(".");
  return point < 0 ? 0 : value.length - point - 1;
}

/** Compares two canonical Decimals by value (`1.10` equals `1.1`): negative, zero or positive. Allocates nothing. */
export function compareDecimals(left: string, right: string): number {
  if (left === right) return 0;
  const isNegative = left.charCodeAt(0) === MINUS;
  if (isNegative !== (right.charCodeAt(0) === MINUS)) return isNegative ? -1 : 1;
  const order = compareMagnitudes(left, right, isNegative ? 1 : 0);
  return isNegative ? 0 - order : order;
}

function compareMagnitudes(left: string, right: string, start: number): number {
  const leftPoint = wholeEnd(left);
  const rightPoint = wholeEnd(right);
  if (leftPoint !== rightPoint) return leftPoint - rightPoint;
  const end = Math.max(left.length, right.length);
  for (let at = start; at < end; at += 1) {
    const difference = digitAt(left, at) - digitAt(right, at);
    if (difference !== 0) return difference;
  }
  return 0;
}

function wholeEnd(value: string): number {
  const point = value.indexOf(".");
  return point < 0 ? value.length : point;
}

/** Returns the character code of a digit; that of zero beyond the end, and for the point, which both have at the same index. */
function digitAt(value: string, at: number): number {
  if (at >= value.length) return ZERO;
  const code = value.charCodeAt(at);
  return code === POINT ? ZERO : code;
}

/**
 * Returns a canonical Decimal times ten to the power of `scale`, which is an integer.
 * @param scale at least the scale of the value
 */
export function toScaled(value: string, scale: number): bigint {
  const point = value.indexOf(".");
  if (point < 0) return BigInt(value + "0".repeat(scale));
  const missing = scale - (value.length - point - 1);
  return BigInt(value.slice(0, point) + value.slice(point + 1) + "0".repeat(missing));
}

/** Returns an integer divided by ten to the power of `scale` as a canonical Decimal with exactly `scale` fraction digits. */
export function fromScaled(scaled: bigint, scale: number): string {
  const isNegative = scaled < 0n;
  const digits = (isNegative ? -scaled : scaled).toString();
  return (isNegative ? "-" : "") + placePoint(digits.padStart(scale + 1, "0"), scale);
}

/** Returns the shortest Decimal that converts back to this double; null for NaN and the infinities. */
export function decimalFromNumber(value: number): string | null {
  return Number.isFinite(value) ? parseDecimal(String(value)) : null;
}

/** Returns a canonical Decimal as an integer; null if it has a fraction other than zeros. */
export function decimalToBigInt(value: string): bigint | null {
  const point = value.indexOf(".");
  if (point < 0) return BigInt(value);
  return ONLY_ZEROS.test(value.slice(point)) ? BigInt(value.slice(0, point)) : null;
}

/** Returns the canonical Decimal of an integer; null beyond MAX_DECIMAL_DIGITS digits. */
export function decimalFromBigInt(value: bigint): string | null {
  const text = value.toString();
  return text.length > MAX_DECIMAL_DIGITS + 1 ? null : text;
}

/** Removes fraction digits beyond `scale` if they are all zeros; otherwise returns null. */
export function fitScale(value: string, scale: number): string | null {
  const excess = scaleOf(value) - scale;
  if (excess <= 0) return value;
  const tail = value.slice(-excess);
  if (!ONLY_ZEROS.test(tail)) return null;
  return scale === 0 ? value.slice(0, -excess - 1) : value.slice(0, -excess);
}

/** Returns a canonical Decimal with exactly `scale` fraction digits; one whose value needs more digits is returned unchanged. */
export function withScale(value: string, scale: number): string {
  const missing = scale - scaleOf(value);
  if (missing === 0) return value;
  if (missing < 0) return fitScale(value, scale) ?? value;
  return `${value}${missing === scale ? "." : ""}${"0".repeat(missing)}`;
}

/** Removes the zeros at the end of a fraction, and the point if no digit follows it. Other texts are returned unchanged. */
export function withoutFinalZeros(value: string): string {
  return value.includes(".") ? value.replace(/\.?0+$/, "") : value;
}

/** Counts the digits before the point of a canonical Decimal. A single zero is not counted. */
export function countWholeDigits(value: string): number {
  const start = value.charCodeAt(0) === MINUS ? 1 : 0;
  const count = wholeEnd(value) - start;
  return count === 1 && value.charCodeAt(start) === ZERO ? 0 : count;
}

const CODE_OF_ZERO = 48;

/** Returns the value of the two digits at an offset of a text; -1 for other characters. */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - CODE_OF_ZERO;
  const ones = text.charCodeAt(at + 1) - CODE_OF_ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** Returns the offset after the digits that start at an offset, or that offset without digits. */
export function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Returns whether a character code is a decimal digit. */
export function isDigit(code: number): boolean {
  return code >= CODE_OF_ZERO && code <= CODE_OF_ZERO + 9;
}

/** Writes a number with leading zeros up to a length. */
export function padDigits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

/**
 * Compares the fractions of two texts digit by digit. A missing digit is a zero.
 */
export function compareFractions(left: Fraction, right: Fraction): number {
  const length = Math.max(left.end - left.start, right.end - right.start);
  for (let at = 0; at < length; at += 1) {
    const difference = fractionDigit(left, at) - fractionDigit(right, at);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The fraction digits of a text, from `start` to before `end`. */
export interface Fraction {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function fractionDigit(fraction: Fraction, at: number): number {
  const offset = fraction.start + at;
  return offset < fraction.end ? fraction.text.charCodeAt(offset) : CODE_OF_ZERO;
}
