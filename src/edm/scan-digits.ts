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
