import { compareFractions, digitsEnd, twoDigits, type Fraction } from "./decimal.ts";
import { compareAscii } from "./text-codecs.ts";

/**
 * Edm.TimeOfDay as a canonical string: `hh:mm:ss` and up to twelve fraction digits as written. Seconds are always present.
 */

/** Maximum number of fraction digits of seconds. */
export const MAX_FRACTION_DIGITS = 12;

const COLON = 58;
const POINT = 46;
/** The length of `hh:mm`. */
const MINUTES_LENGTH = 5;
/** The length of `hh:mm:ss`. */
const SECONDS_LENGTH = 8;

/**
 * Returns the canonical form of a time, whose seconds may be absent, or null for an invalid text. 24:00 and a second 60 are
 * invalid.
 * @see OData ABNF, timeOfDayValue
 */
export function parseTimeOfDay(text: string): string | null {
  if (scanTime(text, 0) !== text.length) return null;
  return hasSeconds(0, text.length) ? text : `${text}:00`;
}

/** Returns the offset after the time at an offset of a text; -1 for an invalid time. */
export function scanTime(text: string, start: number): number {
  const hour = twoDigits(text, start);
  const minute = twoDigits(text, start + 3);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text.charCodeAt(start + 2) !== COLON) return -1;
  if (text.charCodeAt(start + MINUTES_LENGTH) !== COLON) return start + MINUTES_LENGTH;
  const second = twoDigits(text, start + 6);
  if (second < 0 || second > 59) return -1;
  const secondEnd = start + SECONDS_LENGTH;
  if (text.charCodeAt(secondEnd) !== POINT) return secondEnd;
  const end = digitsEnd(text, secondEnd + 1);
  const digits = end - secondEnd - 1;
  return digits < 1 || digits > MAX_FRACTION_DIGITS ? -1 : end;
}

/** Returns whether a time that `scanTime` found has seconds. */
export function hasSeconds(start: number, end: number): boolean {
  return end - start > MINUTES_LENGTH;
}

/** Compares two canonical times by value (`10:00:00.0` equals `10:00:00`): negative, zero or positive. */
export function compareTimesOfDay(left: string, right: string): number {
  if (left.length === right.length) return compareAscii(left, right);
  const order = compareAscii(left.slice(0, SECONDS_LENGTH), right.slice(0, SECONDS_LENGTH));
  return order === 0 ? compareFractions(timeFraction(left), timeFraction(right)) : order;
}

function timeFraction(value: string): Fraction {
  return { text: value, start: SECONDS_LENGTH + 1, end: value.length };
}

/** Returns the hour, 0 to 23, of a canonical time or timestamp. */
export function hourOf(value: string): number {
  return twoDigits(value, timeStart(value));
}

/** Returns the minute, 0 to 59, of a canonical time or timestamp. */
export function minuteOf(value: string): number {
  return twoDigits(value, timeStart(value) + 3);
}

/** Returns the whole seconds, 0 to 59, of a canonical time or timestamp. */
export function secondOf(value: string): number {
  return twoDigits(value, timeStart(value) + 6);
}

/** Returns the fraction of the seconds of a canonical time or timestamp as a Decimal: `0.500`, or `0` without a fraction. */
export function fractionalSecondsOf(value: string): string {
  const start = timeStart(value) + SECONDS_LENGTH;
  return value.charCodeAt(start) === POINT ? `0${value.slice(start, digitsEnd(value, start + 1))}` : "0";
}

/** Returns the index of the time in a canonical timestamp; 0 for a canonical time. */
export function timeStart(value: string): number {
  return value.indexOf("T") + 1;
}

/** Returns the whole seconds since midnight of a canonical time or timestamp. */
export function secondsOfDay(value: string): number {
  const start = timeStart(value);
  return (twoDigits(value, start) * 60 + twoDigits(value, start + 3)) * 60 + twoDigits(value, start + 6);
}
