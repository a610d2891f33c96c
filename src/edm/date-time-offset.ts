import { SECONDS_PER_DAY, daysInMonth, MAX_YEAR, toEpochDays, type CalendarDay } from "./calendar.ts";
import { compareFractions, twoDigits, type Fraction, digitsEnd, padDigits } from "./decimal.ts";
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

/**
 * Returns the date of a timestamp at 00:00 UTC, the form in which scripts write the day of a `Date`; any other text as it is.
 */
export function withoutMidnight(text: string): string {
  const canonical = parseDateTimeOffset(text);
  return canonical !== null && MIDNIGHT.test(canonical) ? datePartOf(canonical) : text;
}

const MIDNIGHT = /T00:00:00(?:\.0+)?Z$/;

/** Returns the timestamp of midnight UTC for a date; any other text as it is. */
export function withMidnight(text: string): string {
  return parseDate(text) === null ? text : dateToDateTimeOffset(text);
}

/**
 * Edm.Date as a canonical string: `YYYY-MM-DD`, with a minus for years before year 0 and more digits for years after
 * 9999, up to MAX_YEAR.
 */

const HYPHEN = 45;
const ZERO = 48;
const MAX_YEAR_DIGITS = 7;

/**
 * Returns the canonical form of a date, or null for an invalid text and for a day that does not exist.
 * @see OData ABNF, dateValue
 */
export function parseDate(text: string): string | null {
  return scanDate(text) === text.length ? withoutNegativeZeroYear(text) : null;
}

/** Returns the offset after the date at the start of a text; -1 if the text does not start with a valid date. */
function scanDate(text: string): number {
  const start = text.charCodeAt(0) === HYPHEN ? 1 : 0;
  const end = digitsEnd(text, start);
  const digits = end - start;
  if (digits < 4 || digits > MAX_YEAR_DIGITS) return -1;
  if (digits > 4 && text.charCodeAt(start) === ZERO) return -1;
  if (text.charCodeAt(end) !== HYPHEN || text.charCodeAt(end + 3) !== HYPHEN) return -1;
  const month = twoDigits(text, end + 1);
  const day = twoDigits(text, end + 4);
  if (month < 1 || day < 1 || day > daysInMonth(yearOf(text), month)) return -1;
  return end + 6;
}

/** Writes `0000` for `-0000` at the start of a text. */
function withoutNegativeZeroYear(text: string): string {
  return text.startsWith("-0000") ? text.slice(1) : text;
}

/** Compares two canonical dates: negative, zero or positive. */
export function compareDates(left: string, right: string): number {
  if (isFourDigitYear(left) && isFourDigitYear(right)) return compareAscii(left, right);
  return dateToEpochDays(left) - dateToEpochDays(right);
}

/** Returns whether a canonical date or timestamp has a year of 0 to 9999, so that text order is time order. */
export function isFourDigitYear(value: string): boolean {
  return value.charCodeAt(4) === HYPHEN && value.charCodeAt(0) !== HYPHEN;
}

/** Returns the year of a canonical date or timestamp. @see OData URL Conventions 4.0, section 5.1.1.4.10 */
export function yearOf(value: string): number {
  if (isFourDigitYear(value)) return twoDigits(value, 0) * 100 + twoDigits(value, 2);
  // Adding zero removes the sign of -0000.
  return Number(value.slice(0, yearEnd(value))) + 0;
}

/** Returns the month, 1 to 12, of a canonical date or timestamp. */
export function monthOf(value: string): number {
  return twoDigits(value, yearEnd(value) + 1);
}

/** Returns the day of the month, 1 to 31, of a canonical date or timestamp. */
export function dayOf(value: string): number {
  return twoDigits(value, yearEnd(value) + 4);
}

/** Returns the index of the hyphen after the year, which is not the sign at index 0. */
function yearEnd(value: string): number {
  return value.indexOf("-", 1);
}

/** Returns the number of days from 1970-01-01 to a canonical date, or to the date of a canonical timestamp. */
export function dateToEpochDays(value: string): number {
  return toEpochDays(yearOf(value), monthOf(value), dayOf(value));
}

/** Returns the canonical text of a day; null if its year is beyond MAX_YEAR. */
export function writeDate({ year, month, day }: CalendarDay): string | null {
  if (Math.abs(year) > MAX_YEAR) return null;
  return `${year < 0 ? "-" : ""}${padDigits(Math.abs(year), 4)}-${padDigits(month, 2)}-${padDigits(day, 2)}`;
}
