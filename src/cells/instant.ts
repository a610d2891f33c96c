import { fromEpochDays, SECONDS_PER_DAY } from "../edm/calendar.ts";
import { fractionOf, parseDateTimeOffset, toEpochSeconds } from "../edm/date-time-offset.ts";
import { writeDate } from "../edm/date.ts";
import { durationFractionOf, wholeSecondsOf } from "../edm/duration.ts";
import { padDigits } from "../edm/scan-digits.ts";

/** The maximum number of fraction digits of a timestamp. */
export const MAX_PRECISION = 12;

/** The fraction digits of a timestamp if the property declares no precision. */
export const DEFAULT_PRECISION = 3;

/** Sort before and after every text of a date or timestamp of the years 0 to 9999. */
export const BEFORE_ALL_TEXTS = "";
export const BEHIND_ALL_TEXTS = ":";

/** An instant: the seconds since 1970-01-01T00:00:00Z, rounded down, and the remaining fraction. */
export interface Instant {
  readonly seconds: number;
  /** Twelve digits. */
  readonly fraction: string;
}

const SQLITE_TEXT = /^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?$/;
const MILLISECONDS = 1000;
/** Makes every count of seconds positive, so that all texts have the same length. */
const INSTANT_SHIFT = 10 ** 15;
const DURATION_SHIFT = 10n ** 16n;
const DURATION_KEY_LENGTH = 17;
const NINES = 10n ** 12n;

/** Returns the instant of a canonical timestamp. */
export function toInstant(value: string): Instant {
  const { text, start, end } = fractionOf(value);
  return {
    seconds: toEpochSeconds(value),
    fraction: text.slice(start, Math.max(end, start)).padEnd(MAX_PRECISION, "0"),
  };
}

/**
 * Returns the canonical timestamp of a stored text: a timestamp with an offset, or the format of SQLite's own functions,
 * `YYYY-MM-DD hh:mm:ss`, which is in UTC. Returns null for any other text.
 */
export function readStoredTimestamp(text: string): string | null {
  return SQLITE_TEXT.test(text) ? parseDateTimeOffset(`${text.replace(" ", "T")}Z`) : parseDateTimeOffset(text);
}

/**
 * Returns the canonical timestamp in UTC, truncated to this many fraction digits.
 * @returns null for a year outside 0 to 9999
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

/** Returns the canonical timestamp of milliseconds since 1970-01-01T00:00:00Z; null for a year outside 0 to 9999. */
export function writeEpoch(milliseconds: number): string | null {
  return writeInstant(fromEpoch(milliseconds), 3);
}

/** Returns the instant of milliseconds since 1970-01-01T00:00:00Z. */
export function fromEpoch(milliseconds: number): Instant {
  const seconds = Math.floor(milliseconds / MILLISECONDS);
  return { seconds, fraction: padDigits(milliseconds - seconds * MILLISECONDS, 3).padEnd(MAX_PRECISION, "0") };
}

/** Rounds an instant up to this many fraction digits; null if it has no more than that. */
export function roundedUp({ seconds, fraction }: Instant, digits: number): Instant | null {
  if (!/[1-9]/.test(fraction.slice(digits))) return null;
  const next = digits === 0 ? 10n : BigInt(`1${fraction.slice(0, digits)}`) + 1n;
  // The number has one extra leading digit: 1, or 2 if the fraction carried over.
  const text = digits === 0 ? "" : next.toString().slice(1);
  const isFull = digits === 0 || next.toString().startsWith("2");
  return { seconds: seconds + (isFull ? 1 : 0), fraction: text.padEnd(MAX_PRECISION, "0") };
}

/** Returns a sort key for a timestamp: byte order is the order of the instants, and equal instants have equal keys. */
export function toInstantKey(value: string): string {
  const { seconds, fraction } = toInstant(value);
  return String(seconds + INSTANT_SHIFT).padStart(String(INSTANT_SHIFT).length, "0") + withoutZeros(fraction);
}

/** Returns a sort key for a duration: byte order is the order of the lengths, and equal lengths have equal keys. */
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

/** Removes trailing zeros. */
export function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits.endsWith("0", end)) end -= 1;
  return digits.slice(0, end);
}
