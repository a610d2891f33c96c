import { fromEpochDays, SECONDS_PER_DAY } from "../../edm/calendar.ts";
import { fractionOf, parseDateTimeOffset, toEpochSeconds, writeDate } from "../../edm/date-time-offset.ts";
import { negateDecimal } from "../../edm/decimal-arithmetic.ts";
import {
  compareDecimals,
  decimalFromNumber,
  fromScaled,
  scaleOf,
  toScaled,
  MAX_DECIMAL_DIGITS,
  countWholeDigits,
  padDigits,
} from "../../edm/decimal.ts";
import { durationFractionOf, wholeSecondsOf } from "../../edm/duration.ts";

/** The maximum number of fraction digits of a timestamp. */
export const MAX_PRECISION = 12;

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

/** Returns the integers next to a Decimal times ten to the power of `scale`. */
export function unitsAround(value: string, scale: number): { readonly floor: bigint; readonly ceiling: bigint } {
  const excess = scaleOf(value) - scale;
  if (excess <= 0) {
    const exact = toScaled(value, scale);
    return { floor: exact, ceiling: exact };
  }
  const whole = toScaled(value, scale + excess);
  const unit = 10n ** BigInt(excess);
  const cut = whole / unit;
  if (cut * unit === whole) return { floor: cut, ceiling: cut };
  return whole < 0n ? { floor: cut - 1n, ceiling: cut } : { floor: cut, ceiling: cut + 1n };
}

/** Returns the doubles next to a Decimal: the same double twice when its shortest text is that Decimal. */
export function doublesAround(value: string): { readonly floor: number; readonly ceiling: number } {
  const double = Number(value);
  const shortest = decimalFromNumber(double);
  if (shortest === null) return beyondDoubles(double);
  const order = compareDecimals(shortest, value);
  if (order === 0) return { floor: double, ceiling: double };
  return order < 0
    ? { floor: double, ceiling: nextDouble(double, 1) }
    : { floor: nextDouble(double, -1), ceiling: double };
}

/**
 * Returns the greatest double that is not above a Decimal once its shortest Decimal is rounded half away from zero to `scale`
 * fraction digits, and the least that is not below it. Without such a value, `ceiling` is above `floor`.
 */
export function roundingDoubles(value: string, scale: number): { readonly floor: number; readonly ceiling: number } {
  return { floor: greatestRounded(value, scale), ceiling: 0 - greatestRounded(negateDecimal(value), scale) };
}

function greatestRounded(value: string, scale: number): number {
  const { floor: units } = unitsAround(value, scale);
  // The midpoint above the value: a negative one is rounded down to it.
  const { floor, ceiling } = doublesAround(fromScaled(units * 10n + 5n, scale + 1));
  return units >= 0n && floor === ceiling ? nextDouble(floor, -1) : floor;
}

/** Returns the bounds of a Decimal that is greater than every double, or less. */
function beyondDoubles(infinity: number): { readonly floor: number; readonly ceiling: number } {
  const isPositive = infinity > 0;
  return isPositive ? { floor: Number.MAX_VALUE, ceiling: infinity } : { floor: infinity, ceiling: -Number.MAX_VALUE };
}

/** Returns the next double above (1) or below (-1) a finite one. */
export function nextDouble(double: number, direction: 1 | -1): number {
  if (double === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  // The bits of a double, read as an integer, grow with its magnitude.
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(double > 0 ? direction : -direction));
  return view.getFloat64(0);
}

const COUNT_WIDTH = String(MAX_DECIMAL_DIGITS).length;
const GREATEST_COUNT = 10 ** COUNT_WIDTH - 1;

/**
 * Returns a sort key for a canonical Decimal: byte order is the order of the values, and equal values (`1.10` and `1.1`)
 * have equal keys. An index on it serves comparisons and sorting.
 *
 * The key of a positive value is `1`, the number of its whole digits, then its digits without the point. A negative value
 * starts with `-`, has every digit subtracted from nine, and ends in `~`, which sorts the longer fraction first. Zero is `0`.
 */
export function toDecimalKey(value: string): string {
  const isNegative = value.startsWith("-");
  const count = countWholeDigits(value);
  const digits = significantDigits(value);
  if (digits === "") return "0";
  if (!isNegative) return `1${String(count).padStart(COUNT_WIDTH, "0")}${digits}`;
  return `-${String(GREATEST_COUNT - count)}${complement(digits)}~`;
}

/** Returns the digits without a single leading `0` of the whole part and without trailing zeros. */
function significantDigits(value: string): string {
  return withoutZeros(value.replace(/^-?(?:0(?=\.))?/, "").replace(".", ""));
}

function complement(digits: string): string {
  let result = "";
  for (const digit of digits) result += String(9 - Number(digit));
  return result;
}
