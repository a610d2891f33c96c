const ZERO = 48;

/** The value of the two digits that stand at an offset of a text; -1 when there are none. */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** The offset behind the last of the digits that start at an offset; that offset itself when there are none. */
export function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Whether a character code is that of a decimal digit. */
export function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** A number as digits, with zeros in front up to a length. */
export function padDigits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

/**
 * Compares the fractions that end two texts, digit by digit: a missing digit is a zero.
 * @param leftAt offset of the first fraction digit, `leftEnd` that behind the last
 */
export function compareFractions(left: Fraction, right: Fraction): number {
  const length = Math.max(left.end - left.start, right.end - right.start);
  for (let at = 0; at < length; at += 1) {
    const difference = fractionDigit(left, at) - fractionDigit(right, at);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Where the fraction digits of a text stand; empty when `start` is not less than `end`. */
export interface Fraction {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function fractionDigit(fraction: Fraction, at: number): number {
  const offset = fraction.start + at;
  return offset < fraction.end ? fraction.text.charCodeAt(offset) : ZERO;
}
