import { compareFractions, isDigit, type Fraction } from "./decimal.ts";

/**
 * Edm.Duration as a canonical string, `-PnDTnHnMn.nS`: the components as given (`PT36H` remains), letters in upper case, no
 * plus sign, no minus for zero. Its whole seconds are at most Number.MAX_SAFE_INTEGER.
 */

const ACCEPTED =
  /^[+-]?P(?=[\dT])(?:\d{1,16}D)?(?:T(?=\d)(?:\d{1,16}H)?(?:\d{1,16}M)?(?:\d{1,16}(?:\.\d{1,12})?S)?)?$/i;
const POINT = 46;
const MINUS = 45;
const ZERO = 48;
const SECONDS: Readonly<Record<string, number>> = { D: 86_400, H: 3600, M: 60, S: 1 };

/**
 * Returns the canonical form of a duration, or null for an invalid text. Years, months and weeks are invalid because they
 * have no fixed length, and so is a `P` or `T` without a component.
 * @see OData ABNF, durationValue
 */
export function parseDuration(text: string): string | null {
  if (!ACCEPTED.test(text)) return null;
  const upper = text.toUpperCase();
  const value = upper.startsWith("+") ? upper.slice(1) : upper;
  if (Math.abs(wholeSecondsOf(value)) > Number.MAX_SAFE_INTEGER) return null;
  // The only nonzero digits may be in the fraction.
  return value.charCodeAt(0) === MINUS && !/[1-9]/.test(value) ? value.slice(1) : value;
}

/** Compares two canonical durations by their total: negative, zero or positive. */
export function compareDurations(left: string, right: string): number {
  if (left === right) return 0;
  const isNegative = left.charCodeAt(0) === MINUS;
  if (isNegative !== (right.charCodeAt(0) === MINUS)) return isNegative ? -1 : 1;
  const order = wholeSecondsOf(left) - wholeSecondsOf(right);
  if (order !== 0) return order;
  const fractionOrder = compareFractions(durationFractionOf(left), durationFractionOf(right));
  return isNegative ? 0 - fractionOrder : fractionOrder;
}

/** Returns the whole seconds of a canonical duration, truncated and with its sign. */
export function wholeSecondsOf(value: string): number {
  let total = 0;
  let count = 0;
  for (let at = value.indexOf("P") + 1; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (isDigit(code)) {
      count = count * 10 + (code - ZERO);
    } else {
      // A point ends the whole seconds and begins the fraction.
      total += count * (code === POINT ? 1 : (SECONDS[value.charAt(at)] ?? 0));
      if (code === POINT) break;
      count = 0;
    }
  }
  return value.charCodeAt(0) === MINUS ? 0 - total : total;
}

/** Returns the fraction digits of the seconds of a canonical duration. */
export function durationFractionOf(value: string): Fraction {
  const point = value.indexOf(".");
  return point < 0 ? { text: value, start: 0, end: 0 } : { text: value, start: point + 1, end: value.length - 1 };
}

/** Returns the total seconds of a canonical duration as a Decimal, with the fraction as written. */
export function totalSecondsOf(value: string): string {
  const { start, end } = durationFractionOf(value);
  const fraction = end > start ? `.${value.slice(start, end)}` : "";
  const sign = value.charCodeAt(0) === MINUS ? "-" : "";
  return `${sign}${String(Math.abs(wholeSecondsOf(value)))}${fraction}`;
}

/** Returns the negated duration. */
export function negateDuration(value: string): string {
  if (value.charCodeAt(0) === MINUS) return value.slice(1);
  return /[1-9]/.test(value) ? `-${value}` : value;
}
