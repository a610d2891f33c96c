import { daysInMonth, MAX_YEAR, toEpochDays, type CalendarDay } from "./calendar.ts";
import { digitsEnd, padDigits, twoDigits } from "./decimal.ts";
import { compareAscii } from "./text-codecs.ts";

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
export function scanDate(text: string): number {
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
export function withoutNegativeZeroYear(text: string): string {
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
