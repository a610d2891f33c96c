import { fromEpochDays, SECONDS_PER_DAY } from "../../edm/calendar.ts";
import { fractionOf, parseDateTimeOffset, toEpochSeconds } from "../../edm/date-time-offset.ts";
import { writeDate } from "../../edm/date.ts";
import { durationFractionOf, wholeSecondsOf } from "../../edm/duration.ts";
import { padDigits } from "../../edm/scan-digits.ts";

/** Fraction digits of seconds that a timestamp may have. */
export const MAX_PRECISION = 12;

/** Fraction digits of a timestamp where the property declares no precision. */
export const DEFAULT_PRECISION = 3;

/** Lies before every text of a date or timestamp of the years 0 to 9999, and behind every one. */
export const BEFORE_ALL_TEXTS = "";
export const BEHIND_ALL_TEXTS = ":";

/** Of an instant: the seconds since 1970-01-01T00:00:00Z, rounded down, and the rest. */
export interface Instant {
  readonly seconds: number;
  /** Twelve digits. */
  readonly fraction: string;
}

const SQLITE_TEXT = /^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?$/;
const MILLISECONDS = 1000;
/** Makes every count of seconds positive, and so of one length as text. */
const INSTANT_SHIFT = 10 ** 15;
const DURATION_SHIFT = 10n ** 16n;
const DURATION_KEY_LENGTH = 17;
const NINES = 10n ** 12n;

/** The instant of a canonical timestamp. */
export function toInstant(value: string): Instant {
  const { text, start, end } = fractionOf(value);
  return {
    seconds: toEpochSeconds(value),
    fraction: text.slice(start, Math.max(end, start)).padEnd(MAX_PRECISION, "0"),
  };
}

/**
 * The canonical timestamp of a text in a database: one with an offset, or the form of SQLite's own functions,
 * `YYYY-MM-DD hh:mm:ss`, which is UTC. Null when it is neither.
 */
export function readStoredTimestamp(text: string): string | null {
  return SQLITE_TEXT.test(text) ? parseDateTimeOffset(`${text.replace(" ", "T")}Z`) : parseDateTimeOffset(text);
}

/**
 * The canonical timestamp in UTC with so many fraction digits, cut.
 * @returns null for a year that is not of 0 to 9999
 */
export function writeInstant({ seconds, fraction }: Instant, digits: number): string | null {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const day = fromEpochDays(days);
  const date = day.year < 0 || day.year > 9999 ? null : writeDate(day);
  if (date === null) return null;
  const rest = seconds - days * SECONDS_PER_DAY;
  const time = [Math.floor(rest / 3600), Math.floor((rest % 3600) / 60), rest % 60];
  const clock = time.map((part) => padDigits(part, 2)).join(":");
  return `${date}T${clock}${digits === 0 ? "" : `.${fraction.slice(0, digits)}`}Z`;
}

/** The canonical timestamp of milliseconds since 1970-01-01T00:00:00Z; null for a year that is not of 0 to 9999. */
export function writeEpoch(milliseconds: number): string | null {
  return writeInstant(fromEpoch(milliseconds), 3);
}

/** Returns the instant of milliseconds since 1970-01-01T00:00:00Z. */
export function fromEpoch(milliseconds: number): Instant {
  const seconds = Math.floor(milliseconds / MILLISECONDS);
  return { seconds, fraction: padDigits(milliseconds - seconds * MILLISECONDS, 3).padEnd(MAX_PRECISION, "0") };
}

/** The next instant of so many fraction digits, when the given one has more: null when it has not. */
export function roundedUp({ seconds, fraction }: Instant, digits: number): Instant | null {
  if (!/[1-9]/.test(fraction.slice(digits))) return null;
  const next = digits === 0 ? 10n : BigInt(`1${fraction.slice(0, digits)}`) + 1n;
  // One more digit than given, the first of which is 1, or 2 when the fraction is full.
  const text = digits === 0 ? "" : next.toString().slice(1);
  const isFull = digits === 0 || next.toString().startsWith("2");
  return { seconds: seconds + (isFull ? 1 : 0), fraction: text.padEnd(MAX_PRECISION, "0") };
}

/** A text for a timestamp whose order byte by byte is the order of the instants; equal instants have the same. */
export function toInstantKey(value: string): string {
  const { seconds, fraction } = toInstant(value);
  return String(seconds + INSTANT_SHIFT).padStart(String(INSTANT_SHIFT).length, "0") + withoutZeros(fraction);
}

/** A text for a duration whose order byte by byte is the order of the lengths; equal lengths have the same. */
export function toDurationKey(value: string): string {
  const { text, start, end } = durationFractionOf(value);
  const picoseconds = BigInt(text.slice(start, Math.max(end, start)).padEnd(MAX_PRECISION, "0"));
  const seconds = BigInt(Math.abs(wholeSecondsOf(value)));
  const isNegative = value.startsWith("-");
  const borrows = isNegative && picoseconds > 0n;
  const whole = (isNegative ? -seconds : seconds) - (borrows ? 1n : 0n);
  const rest = borrows ? NINES - picoseconds : picoseconds;
  const key = (whole + DURATION_SHIFT).toString().padStart(DURATION_KEY_LENGTH, "0");
  return key + withoutZeros(rest.toString().padStart(MAX_PRECISION, "0"));
}

/** Cuts the zeros at the end. */
export function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits.endsWith("0", end)) end -= 1;
  return digits.slice(0, end);
}
