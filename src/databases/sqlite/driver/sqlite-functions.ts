import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { tooManyItems } from "../../../base/errors/odata-error.ts";
import { required } from "../../../base/required.ts";
import {
  datePartOf,
  timePartOf,
  totalOffsetMinutesOf,
  dateToEpochDays,
  dayOf,
  monthOf,
  parseDate,
  yearOf,
} from "../../../edm/date-time-offset.ts";
import {
  addDecimals,
  averageDecimal,
  ceilingDecimal,
  decimalOfReal,
  divideDecimals,
  floorDecimal,
  moduloDecimals,
  multiplyDecimals,
  negateDecimal,
  roundDecimal,
  subtractDecimals,
  toScaledDecimal,
} from "../../../edm/decimal-arithmetic.ts";
import { compareDecimals, fromScaled } from "../../../edm/decimal.ts";
import { negateDuration, parseDuration, totalSecondsOf } from "../../../edm/duration.ts";
import {
  addDurations,
  addDurationToDate,
  addDurationToDateTimeOffset,
  divideDuration,
  multiplyDuration,
  subtractDates,
  subtractDateTimeOffsets,
  subtractDurations,
} from "../../../edm/temporal-arithmetic.ts";
import { fractionalSecondsOf, hourOf, minuteOf, secondOf } from "../../../edm/time-of-day.ts";
import { toDecimalKey, readStoredTimestamp, toDurationKey, toInstantKey, writeEpoch } from "../../cells/instant.ts";
import { STORED_TEXTS, type StoredText } from "../../cells/text-cells.ts";
import { castCell, describeCell, readDecimal } from "./cast-cells.ts";
import { textFunctions } from "./sqlite-text-functions.ts";
import { unreadableArgument } from "./unreadable-argument.ts";

/** The maximum number of items in nested lambda operators per execution: about a second of work. */
const MAX_NESTED_ITEMS = 2_000_000;

/** A function of SQLite. Its number of parameters is the number of its SQL arguments. */
type SqlFunction = (...values: SQLOutputValue[]) => SQLInputValue;

/**
 * The functions that SQLite lacks, by name. Each returns null if an argument is null. A Decimal may be text, an INTEGER or a
 * REAL, which means its shortest decimal. Any other text fails the statement.
 *
 * - `odata_readable(kind, text)`: 1 if the text is a value of its kind, otherwise 0.
 * - `odata_decimal_key(a)`: text that sorts like the values, for comparisons and indexes.
 * - `odata_decimal_compare(a, b)`: -1, 0 or 1.
 * - `odata_decimal_add`, `_subtract`, `_multiply`, `_divide`, `_modulo(a, b)`: canonical text; null if the result has too
 *   many digits or the divisor is zero.
 * - `odata_decimal_negate(a)`, `odata_decimal_floor(a)`, `odata_decimal_ceiling(a)`.
 * - `odata_decimal_round(a, bankers)`: rounds half away from zero, or half to even if `bankers` is 1.
 */
const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  odata_readable: (kind, text) => (readsText(kind, text) ? 1n : 0n),
  odata_decimal_key: (a) => ofDecimal(a, toDecimalKey),
  odata_decimal_compare: (a, b) => ofDecimals(a, b, toSign),
  odata_decimal_add: (a, b) => ofDecimals(a, b, addDecimals),
  odata_decimal_subtract: (a, b) => ofDecimals(a, b, subtractDecimals),
  odata_decimal_multiply: (a, b) => ofDecimals(a, b, multiplyDecimals),
  odata_decimal_divide: (a, b) => ofDecimals(a, b, divideDecimals),
  odata_decimal_modulo: (a, b) => ofDecimals(a, b, moduloDecimals),
  odata_decimal_negate: (a) => ofDecimal(a, negateDecimal),
  odata_decimal_floor: (a) => ofDecimal(a, floorDecimal),
  odata_decimal_ceiling: (a) => ofDecimal(a, ceilingDecimal),
  odata_decimal_round: (a, bankers) =>
    ofDecimal(a, (value) => roundDecimal(value, Number(bankers) === 0 ? "half-away-from-zero" : "half-to-even")),
};

/**
 * Registers the functions on a connection. They are deterministic, so indexes may use them: every program that writes to the
 * table then needs them. If a new Node.js has another Unicode version, an index on `odata_lower` requires a `reindex`.
 */
export function registerFunctions(database: DatabaseSync, readOnly: boolean): void {
  const functions = { ...FUNCTIONS, ...textFunctions(database, readOnly), ...NUMBER_FUNCTIONS, ...TEMPORAL_FUNCTIONS };
  for (const [name, run] of Object.entries(functions)) {
    // Arguments are bigint, since an INTEGER beyond 2^53 would throw. `directOnly` would exclude indexes.
    database.function(name, { deterministic: true, useBigIntArguments: true }, run);
  }
  // Not deterministic, so that SQLite calls it for each item.
  database.function("odata_spend_item", { deterministic: false, useBigIntArguments: true }, makeItemCounter());
  database.function("odata_spend_entities", { deterministic: false }, makeEntityCounter());
}

/**
 * Makes `odata_spend_item(execution, item)`: true up to the maximum number of items of one execution; then it fails the
 * statement.
 */
function makeItemCounter(): SqlFunction {
  let current: SQLOutputValue = null;
  let items = 0;
  return (execution, _item) => {
    if (execution !== current) {
      current = execution;
      items = 0;
    }
    items += 1;
    if (items > MAX_NESTED_ITEMS) throw tooManyItems(MAX_NESTED_ITEMS);
    return 1n;
  };
}

/**
 * Makes `odata_spend_entities(execution, entities, most)`: true as long as the lists of one execution have no more entities in
 * all; then it fails the statement, so that a page of JSON does not grow further.
 */
function makeEntityCounter(): SqlFunction {
  let current: SQLOutputValue = null;
  let total = 0;
  return (execution, entities, most) => {
    if (execution !== current) {
      current = execution ?? null;
      total = 0;
    }
    total += Number(entities);
    if (total > Number(most)) throw new Error("There are too many entities for JSON.");
    return 1;
  };
}

function readsText(kind: SQLOutputValue | undefined, text: SQLOutputValue | undefined): boolean {
  return typeof text === "string" && STORED_TEXTS[kind as StoredText](text) !== null;
}

function ofDecimal<T>(value: SQLOutputValue, compute: (decimal: string) => T): T | null {
  const decimal = toDecimalOrNull(value);
  return decimal === null ? null : compute(decimal);
}

function ofDecimals<T>(
  left: SQLOutputValue,
  right: SQLOutputValue,
  compute: (left: string, right: string) => T,
): T | null {
  const first = toDecimalOrNull(left);
  const second = toDecimalOrNull(right);
  return first === null || second === null ? null : compute(first, second);
}

/** Returns a bigint, since `node:sqlite` stores every number as REAL. */
function toSign(left: string, right: string): bigint {
  return BigInt(Math.sign(compareDecimals(left, right)));
}

function toDecimalOrNull(value: SQLOutputValue): string | null {
  return value === null ? null : toDecimal(value);
}

/** Returns the Decimal of a cell. @throws Error for a cell without one */
export function toDecimal(value: NonNullable<SQLOutputValue>): string {
  const decimal = readDecimal(value);
  if (decimal === null) throw unreadableArgument(describeCell(value), "an Edm.Decimal");
  return decimal;
}

/**
 * Functions of doubles and of scaled Decimals. Each returns null if an argument is null, and instead of NaN.
 *
 * - `odata_double(decimal)`: the nearest double.
 * - `odata_double_divide(a, b)`, `odata_double_modulo(a, b)`: as in IEEE 754, so a division by zero is infinite.
 * - `odata_double_round(a, bankers)`: rounds half away from zero, or half to even if `bankers` is 1.
 * - `odata_decimal_unscale(integer, scale)`: the Decimal of an integer divided by ten to the power of `scale`.
 * - `odata_units_sum(high, low, scale)`: the same for a sum of integers, from the sums of their higher and lower 32 bits.
 * - `odata_real_round(real, scale)`: the double next to the rounded Decimal; other cells unchanged.
 * - `odata_decimal_average(sum, count, digits)`: the quotient, rounded half away from zero.
 * - `odata_cast(source, target, digits, value)`: see `castCell`.
 */
const NUMBER_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  odata_double: (value) => toDouble(value),
  odata_double_divide: (a, b) => ofDoubles(a, b, (dividend, divisor) => dividend / divisor),
  odata_double_modulo: (a, b) => ofDoubles(a, b, (dividend, divisor) => dividend % divisor),
  odata_double_round: (a, bankers) => ofDoubles(a, bankers, (value, isBankers) => roundDouble(value, isBankers === 1)),
  odata_decimal_unscale: (value, scale) => (value === null ? null : unscale(value, scale)),
  odata_units_sum: (high, low, scale) =>
    typeof high === "bigint" && typeof low === "bigint" ? fromScaled(high * 2n ** 32n + low, Number(scale)) : null,
  odata_real_round: (value, scale) =>
    typeof value === "number" ? Number(decimalOfReal(value, Number(scale)) ?? value) : (value ?? null),
  odata_decimal_average: (sum, count, digits) =>
    ofDecimal(sum, (total) => averageDecimal(toScaledDecimal(total), Number(count), Number(digits))),
  odata_cast: (source, target, digits, value) =>
    value === null || value === undefined ? null : castCell(source, target, digits, value),
};

function ofDoubles(
  a: SQLOutputValue | undefined,
  b: SQLOutputValue | undefined,
  compute: (a: number, b: number) => number,
): number | null {
  const first = toDouble(a);
  const second = toDouble(b);
  return first === null || second === null ? null : compute(first, second);
}

function toDouble(value: SQLOutputValue | undefined): number | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) throw unreadableArgument("bytes", "a number");
  return Number(value);
}

/** Rounds exactly: 0.49999999999999994 becomes 0, and infinities stay. */
function roundDouble(value: number, isBankers: boolean): number {
  const whole = Math.trunc(value);
  // The fraction of a double is itself a double, so the subtraction is exact.
  const fraction = Math.abs(value - whole);
  const isAway = fraction > 0.5 || (fraction === 0.5 && (!isBankers || whole % 2 !== 0));
  return isAway ? whole + Math.sign(value) : whole;
}

function unscale(value: string | number | bigint | Uint8Array, scale: SQLOutputValue | undefined): string {
  if (typeof value === "bigint") return fromScaled(value, Number(scale));
  throw unreadableArgument("no INTEGER", "a scaled Edm.Decimal");
}

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
const TEMPORAL_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
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

/** Returns the duration of a cell. @throws Error for a cell without one */
export function toDuration(value: NonNullable<SQLOutputValue>): string {
  return required(
    compute(value, parseDuration, "Edm.Duration", (text) => text),
    "Only null has no duration.",
  );
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
