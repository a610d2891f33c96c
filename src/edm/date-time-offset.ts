import { SECONDS_PER_DAY } from "./calendar.ts";
import { dateToEpochDays, isFourDigitYear, scanDate, withoutNegativeZeroYear } from "./date.ts";
import { compareFractions, twoDigits, type Fraction } from "./decimal.ts";
import { compareAscii } from "./text-codecs.ts";
import { hasSeconds, scanTime, secondsOfDay, timeStart } from "./time-of-day.ts";

/**
 * Edm.DateTimeOffset as a canonical string: `YYYY-MM-DDThh:mm:ss`, up to twelve fraction digits as written, and the offset
 * as written, with `Z` for zero. Seconds are always present.
 */

const LOWER_T = 116;
const UPPER_T = 84;
const LOWER_Z = 122;
const UPPER_Z = 90;
const COLON = 58;
const PLUS = 43;
const MINUS = 45;
/** The length of `+hh:mm`. */
const OFFSET_LENGTH = 6;
const MAX_OFFSET_HOURS = 14;

/**
 * Returns the canonical form of a timestamp. Seconds may be absent, and `t` and `z` may be in lower case. It returns null for
 * an invalid timestamp: without an offset, on a day that does not exist, or with an offset beyond 14 hours.
 * @see OData ABNF, dateTimeOffsetValue
 */
export function parseDateTimeOffset(text: string): string | null {
  const dateEnd = scanDate(text);
  if (dateEnd < 0) return null;
  const separator = text.charCodeAt(dateEnd);
  if (separator !== UPPER_T && separator !== LOWER_T) return null;
  const timeEnd = scanTime(text, dateEnd + 1);
  if (timeEnd < 0 || !isOffset(text, timeEnd)) return null;
  const isWritten = separator === UPPER_T && hasSeconds(dateEnd + 1, timeEnd) && isCanonicalOffset(text, timeEnd);
  return withoutNegativeZeroYear(isWritten ? text : rewrite(text, dateEnd, timeEnd));
}

function rewrite(text: string, dateEnd: number, timeEnd: number): string {
  const seconds = hasSeconds(dateEnd + 1, timeEnd) ? "" : ":00";
  const offset = isCanonicalOffset(text, timeEnd) ? text.slice(timeEnd) : "Z";
  return `${text.slice(0, dateEnd)}T${text.slice(dateEnd + 1, timeEnd)}${seconds}${offset}`;
}

function isOffset(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === UPPER_Z || code === LOWER_Z) return text.length === at + 1;
  if (code !== PLUS && code !== MINUS) return false;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (hours < 0 || minutes < 0 || minutes > 59 || text.charCodeAt(at + 3) !== COLON) return false;
  const isWithin = hours < MAX_OFFSET_HOURS || (hours === MAX_OFFSET_HOURS && minutes === 0);
  return isWithin && text.length === at + OFFSET_LENGTH;
}

function isCanonicalOffset(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === UPPER_Z || (code !== LOWER_Z && !text.endsWith("00:00"));
}

/** Compares two canonical timestamps by instant, whatever their offsets: negative, zero or positive. */
export function compareDateTimeOffsets(left: string, right: string): number {
  if (left.length === right.length && isUtc(left) && isUtc(right) && isFourDigitYear(left) && isFourDigitYear(right)) {
    return compareAscii(left, right);
  }
  const order = toEpochSeconds(left) - toEpochSeconds(right);
  return order === 0 ? compareFractions(fractionOf(left), fractionOf(right)) : order;
}

function isUtc(value: string): boolean {
  return value.charCodeAt(value.length - 1) === UPPER_Z;
}

/** Returns the whole seconds, rounded down, from 1970-01-01T00:00:00Z to a canonical timestamp: exact in a double. */
export function toEpochSeconds(value: string): number {
  return dateToEpochDays(value) * SECONDS_PER_DAY + secondsOfDay(value) - totalOffsetMinutesOf(value) * 60;
}

/** Returns the fraction digits of the seconds of a canonical timestamp. */
export function fractionOf(value: string): Fraction {
  return { text: value, start: timeStart(value) + 9, end: offsetStart(value) };
}

/** Returns the offset of a canonical timestamp from UTC in minutes, negative west of it. */
export function totalOffsetMinutesOf(value: string): number {
  if (isUtc(value)) return 0;
  const start = offsetStart(value);
  const minutes = twoDigits(value, start + 1) * 60 + twoDigits(value, start + 4);
  return value.charCodeAt(start) === MINUS ? -minutes : minutes;
}

/** Returns the index of the `Z`, or of the sign of the offset, in a canonical timestamp. */
export function offsetStart(value: string): number {
  return isUtc(value) ? value.length - 1 : value.length - OFFSET_LENGTH;
}

/** Returns the date of a canonical timestamp, in its own offset. */
export function datePartOf(value: string): string {
  return value.slice(0, timeStart(value) - 1);
}

/** Returns the time of day of a canonical timestamp, in its own offset. */
export function timePartOf(value: string): string {
  return value.slice(timeStart(value), offsetStart(value));
}

/** Returns the timestamp of midnight UTC at the start of a canonical date. */
export function dateToDateTimeOffset(date: string): string {
  return `${date}T00:00:00Z`;
}
