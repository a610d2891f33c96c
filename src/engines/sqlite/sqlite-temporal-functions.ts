import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { readStoredTimestamp, toDurationKey, toInstantKey, writeEpoch } from "../../cells/instant.ts";
import { datePartOf, timePartOf, totalOffsetMinutesOf } from "../../edm/date-time-offset.ts";
import { dateToEpochDays, dayOf, monthOf, parseDate, yearOf } from "../../edm/date.ts";
import { negateDuration, parseDuration, totalSecondsOf } from "../../edm/duration.ts";
import {
  addDurations,
  addDurationToDate,
  addDurationToDateTimeOffset,
  divideDuration,
  multiplyDuration,
  subtractDates,
  subtractDateTimeOffsets,
  subtractDurations,
} from "../../edm/temporal-arithmetic.ts";
import { fractionalSecondsOf, hourOf, minuteOf, secondOf } from "../../edm/time-of-day.ts";
import { unreadableArgument } from "./unreadable-argument.ts";

type SqlFunction = (...values: SQLOutputValue[]) => SQLInputValue;
type Read = (text: string) => string | null;

const readInstant: Read = readStoredTimestamp;
/** Accepts a date, a timestamp or a time: functions of parts accept all three. */
const readMoment: Read = (text) => text;

/**
 * Functions of temporal values, which are texts. Each returns null if an argument is null or the result is out of range. A
 * text that is not a value of its type fails the statement.
 *
 * - `odata_instant_key(timestamp)`, `odata_duration_key(duration)`: text that sorts like the values, for comparisons and
 *   indexes; `odata_date_key(date)`: days since 1970.
 * - `odata_instant_of_epoch(milliseconds)`: the timestamp in UTC.
 * - `odata_year`, `_month`, `_day`, `_hour`, `_minute`, `_second`, `_fractional_seconds`, `_date`, `_time`,
 *   `_offset_minutes(timestamp)`: parts, local to the timestamp's offset. `odata_total_seconds(duration)`.
 * - `odata_instant_add(timestamp, duration)`, `odata_instant_subtract(timestamp, timestamp)`, and the same for dates;
 *   `odata_duration_add`, `_subtract(duration, duration)`, `_multiply`, `_divide(duration, number)`, `_negate`.
 */
export const TEMPORAL_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  odata_instant_key: (value) => compute(value, readInstant, "Edm.DateTimeOffset", toInstantKey),
  odata_duration_key: (value) => ofDuration(value, toDurationKey),
  odata_date_key: (value) => ofDate(value, (date) => BigInt(dateToEpochDays(date))),
  odata_instant_of_epoch: (value) => (value === null ? null : writeEpoch(Number(value))),
  odata_year: (value) => ofMoment(value, (text) => BigInt(yearOf(text))),
  odata_month: (value) => ofMoment(value, (text) => BigInt(monthOf(text))),
  odata_day: (value) => ofMoment(value, (text) => BigInt(dayOf(text))),
  odata_hour: (value) => ofMoment(value, (text) => BigInt(hourOf(text))),
  odata_minute: (value) => ofMoment(value, (text) => BigInt(minuteOf(text))),
  odata_second: (value) => ofMoment(value, (text) => BigInt(secondOf(text))),
  odata_fractional_seconds: (value) => ofMoment(value, fractionalSecondsOf),
  odata_date: (value) => ofInstant(value, datePartOf),
  odata_time: (value) => ofInstant(value, timePartOf),
  odata_offset_minutes: (value) => ofInstant(value, (text) => BigInt(totalOffsetMinutesOf(text))),
  odata_total_seconds: (value) => ofDuration(value, totalSecondsOf),
  odata_instant_add: (value, span) =>
    ofInstant(value, (text) => ofDuration(span, withLeft(addDurationToDateTimeOffset, text))),
  odata_instant_subtract: (left, right) =>
    ofInstant(left, (text) => ofInstant(right, withLeft(subtractDateTimeOffsets, text))),
  odata_date_add: (value, span) => ofDate(value, (text) => ofDuration(span, withLeft(addDurationToDate, text))),
  odata_date_subtract: (left, right) => ofDate(left, (text) => ofDate(right, withLeft(subtractDates, text))),
  odata_duration_add: (left, right) => ofDuration(left, (text) => ofDuration(right, withLeft(addDurations, text))),
  odata_duration_subtract: (left, right) =>
    ofDuration(left, (text) => ofDuration(right, withLeft(subtractDurations, text))),
  odata_duration_multiply: (value, factor) => ofDuration(value, (text) => scale(multiplyDuration, text, factor)),
  odata_duration_divide: (value, divisor) => ofDuration(value, (text) => scale(divideDuration, text, divisor)),
  odata_duration_negate: (value) => ofDuration(value, negateDuration),
};

function withLeft<T>(compute: (left: string, right: string) => T, left: string): (right: string) => T {
  return (right) => compute(left, right);
}

function scale(
  compute: (duration: string, number: number | bigint | string) => string | null,
  duration: string,
  number: SQLOutputValue | undefined,
): string | null {
  return number === null || number === undefined || number instanceof Uint8Array ? null : compute(duration, number);
}

function ofInstant<T extends SQLInputValue>(value: SQLOutputValue | undefined, of: (text: string) => T): T | null {
  return compute(value, readInstant, "Edm.DateTimeOffset", of);
}

function ofMoment<T extends SQLInputValue>(value: SQLOutputValue | undefined, of: (text: string) => T): T | null {
  // The format of SQLite's own timestamps has a blank instead of `T`.
  const read: Read = typeof value === "string" && value.includes(" ") ? readInstant : readMoment;
  return compute(value, read, "Edm.DateTimeOffset", of);
}

function ofDate<T extends SQLInputValue>(value: SQLOutputValue | undefined, of: (text: string) => T): T | null {
  return compute(value, parseDate, "Edm.Date", of);
}

function ofDuration<T extends SQLInputValue>(value: SQLOutputValue | undefined, of: (text: string) => T): T | null {
  return compute(value, parseDuration, "Edm.Duration", of);
}

function compute<T extends SQLInputValue>(
  value: SQLOutputValue | undefined,
  read: Read,
  typeName: string,
  of: (text: string) => T,
): T | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? read(value) : null;
  if (text === null) {
    const is = typeof value === "string" ? JSON.stringify(value) : `a value of type ${typeof value}`;
    throw unreadableArgument(is, `an ${typeName}`);
  }
  return of(text);
}
