import { fromEpochDays, SECONDS_PER_DAY } from "./calendar.ts";
import {
  fractionOf,
  offsetStart,
  toEpochSeconds,
  totalOffsetMinutesOf,
  dateToEpochDays,
  writeDate,
} from "./date-time-offset.ts";
import { divideDecimals, multiplyDecimals, roundDecimal } from "./decimal-arithmetic.ts";
import { decimalFromBigInt, decimalFromNumber, padDigits, type Fraction } from "./decimal.ts";
import { durationFractionOf, totalSecondsOf, wholeSecondsOf } from "./duration.ts";
import { MAX_FRACTION_DIGITS } from "./time-of-day.ts";

/**
 * Arithmetic on canonical temporal values. Each operation returns null if its result is out of range: a year beyond
 * ±9,999,999, or a duration of more than Number.MAX_SAFE_INTEGER seconds. To subtract a duration, add its negation. Resulting
 * durations have days, hours, minutes and seconds, without trailing zeros in the fraction.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */

/** A duration or an instant: whole seconds rounded down, and the remaining 0 to 10^12 - 1 picoseconds. */
interface Span {
  readonly seconds: number;
  readonly picoseconds: number;
}

const PICOSECONDS = 1e12;

/** Adds a duration to a timestamp. The result has the offset of the timestamp and the longer of the two fractions. */
export function addDurationToDateTimeOffset(value: string, duration: string): string | null {
  const sum = addSpans(instantOf(value), lengthOf(duration));
  const local = sum.seconds + totalOffsetMinutesOf(value) * 60;
  const days = Math.floor(local / SECONDS_PER_DAY);
  const date = writeDate(fromEpochDays(days));
  if (date === null) return null;
  const digits = Math.max(countDigits(fractionOf(value)), countDigits(durationFractionOf(duration)));
  const fraction = digits === 0 ? "" : `.${padDigits(sum.picoseconds, MAX_FRACTION_DIGITS).slice(0, digits)}`;
  return `${date}T${writeTime(local - days * SECONDS_PER_DAY)}${fraction}${value.slice(offsetStart(value))}`;
}

/** Adds a duration to the midnight of a date, and returns the resulting date. */
export function addDurationToDate(value: string, duration: string): string | null {
  const days = Math.floor(lengthOf(duration).seconds / SECONDS_PER_DAY);
  return writeDate(fromEpochDays(dateToEpochDays(value) + days));
}

/** Returns the duration from the right timestamp to the left. */
export function subtractDateTimeOffsets(left: string, right: string): string | null {
  return writeDuration(addSpans(instantOf(left), negateSpan(instantOf(right))));
}

/** Returns the duration in whole days from the right date to the left. */
export function subtractDates(left: string, right: string): string | null {
  return writeDuration({
    seconds: (dateToEpochDays(left) - dateToEpochDays(right)) * SECONDS_PER_DAY,
    picoseconds: 0,
  });
}

/** Returns the sum of two durations. */
export function addDurations(left: string, right: string): string | null {
  return writeDuration(addSpans(lengthOf(left), lengthOf(right)));
}

/** Returns the left duration minus the right. */
export function subtractDurations(left: string, right: string): string | null {
  return writeDuration(addSpans(lengthOf(left), negateSpan(lengthOf(right))));
}

/**
 * Returns a duration times a number, rounded to picoseconds half away from zero.
 * @param factor a canonical value of a numeric type; NaN and the infinities give null
 */
export function multiplyDuration(duration: string, factor: number | bigint | string): string | null {
  const decimal = toDecimal(factor);
  return decimal === null ? null : fromTotalSeconds(multiplyDecimals(totalSecondsOf(duration), decimal));
}

/**
 * Returns a duration divided by a number, rounded to picoseconds half away from zero.
 * @param divisor a canonical value of a numeric type; zero, NaN and the infinities give null
 */
export function divideDuration(duration: string, divisor: number | bigint | string): string | null {
  const decimal = toDecimal(divisor);
  return decimal === null ? null : fromTotalSeconds(divideDecimals(totalSecondsOf(duration), decimal));
}

function toDecimal(value: number | bigint | string): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? decimalFromNumber(value) : decimalFromBigInt(value);
}

function fromTotalSeconds(total: string | null): string | null {
  if (total === null) return null;
  const isNegative = total.startsWith("-");
  const rounded = roundDecimal(isNegative ? total.slice(1) : total, "half-away-from-zero", MAX_FRACTION_DIGITS);
  const point = rounded.indexOf(".");
  const seconds = Number(point < 0 ? rounded : rounded.slice(0, point));
  const picoseconds = point < 0 ? 0 : Number(rounded.slice(point + 1).padEnd(MAX_FRACTION_DIGITS, "0"));
  const span = { seconds, picoseconds };
  return writeDuration(isNegative ? negateSpan(span) : span);
}

function instantOf(value: string): Span {
  return { seconds: toEpochSeconds(value), picoseconds: picosecondsOf(fractionOf(value)) };
}

function lengthOf(duration: string): Span {
  const seconds = wholeSecondsOf(duration);
  const picoseconds = picosecondsOf(durationFractionOf(duration));
  // The sign of a duration of less than a second is only in its text, because its seconds are -0.
  return duration.startsWith("-") ? negateSpan({ seconds: 0 - seconds, picoseconds }) : { seconds, picoseconds };
}

function picosecondsOf({ text, start, end }: Fraction): number {
  return end <= start ? 0 : Number(text.slice(start, end).padEnd(MAX_FRACTION_DIGITS, "0"));
}

function countDigits({ start, end }: Fraction): number {
  return Math.max(end - start, 0);
}

function addSpans(left: Span, right: Span): Span {
  const picoseconds = left.picoseconds + right.picoseconds;
  const carry = picoseconds >= PICOSECONDS ? 1 : 0;
  return { seconds: left.seconds + right.seconds + carry, picoseconds: picoseconds - carry * PICOSECONDS };
}

function negateSpan({ seconds, picoseconds }: Span): Span {
  return picoseconds === 0
    ? { seconds: 0 - seconds, picoseconds }
    : { seconds: -1 - seconds, picoseconds: PICOSECONDS - picoseconds };
}

function writeTime(secondsOfDay: number): string {
  const hour = Math.floor(secondsOfDay / 3600);
  const minute = Math.floor((secondsOfDay % 3600) / 60);
  return `${padDigits(hour, 2)}:${padDigits(minute, 2)}:${padDigits(secondsOfDay % 60, 2)}`;
}

/** Returns the canonical text of a duration in days, hours, minutes and seconds; null if it is out of range. */
function writeDuration(span: Span): string | null {
  const isNegative = span.seconds < 0;
  const { seconds, picoseconds } = isNegative ? negateSpan(span) : span;
  if (!Number.isSafeInteger(seconds)) return null;
  const fraction = padDigits(picoseconds, MAX_FRACTION_DIGITS).replace(/0+$/, "");
  const secondText = `${seconds % 60}${fraction === "" ? "" : `.${fraction}`}`;
  const time = [
    writeComponent(Math.floor((seconds % SECONDS_PER_DAY) / 3600), "H"),
    writeComponent(Math.floor((seconds % 3600) / 60), "M"),
    secondText === "0" ? "" : `${secondText}S`,
  ].join("");
  const days = writeComponent(Math.floor(seconds / SECONDS_PER_DAY), "D");
  if (days === "" && time === "") return "PT0S";
  return `${isNegative ? "-" : ""}P${days}${time === "" ? "" : `T${time}`}`;
}

function writeComponent(count: number, letter: string): string {
  return count === 0 ? "" : `${String(count)}${letter}`;
}
