import { sql } from "kysely";
import { SECONDS_PER_DAY } from "../../edm/calendar.ts";
import { dateToEpochDays } from "../../edm/date-time-offset.ts";
import { fromScaled } from "../../edm/decimal.ts";
import { totalSecondsOf } from "../../edm/duration.ts";
import { secondsOfDay } from "../../edm/time-of-day.ts";
import { asText } from "../../edm/value-codec.ts";
import { MAX_PRECISION, toInstant } from "../cells/instant.ts";
import { plainForm, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { Term } from "./dialect-values.ts";

/** The position of the fraction after `hh:mm:ss`. */
const CLOCK_LENGTH = 8;
const PICOSECONDS = 10n ** 12n;

/**
 * Temporal values as exact numbers, for databases without our own functions. They represent every year and all twelve digits
 * of a second, and do not depend on the time zone or the calendar of the database.
 */
export interface NumericTemporalForms {
  /** Edm.Date: days since 1970-01-01. */
  readonly days: SqlForm;
  /** Edm.TimeOfDay: seconds since midnight. */
  readonly clock: SqlForm;
  /** Edm.DateTimeOffset: seconds since 1970-01-01T00:00:00Z. */
  readonly epoch: SqlForm;
  /** Edm.Duration: seconds. */
  readonly seconds: SqlForm;
}

/**
 * Makes the forms for one kind of database.
 * @param integer casts a bound integer
 * @param decimal casts a bound exact number
 */
export function numericTemporalForms(integer: (place: Sql) => Sql, decimal: (place: Sql) => Sql): NumericTemporalForms {
  return Object.freeze<NumericTemporalForms>({
    days: plainForm("days", (value) => String(dateToEpochDays(asText(value))), { place: integer, fromKey: integer }),
    clock: plainForm("seconds of the day", (value) => clockOf(asText(value)), { place: decimal, fromKey: decimal }),
    epoch: plainForm("epoch seconds", (value) => epochOf(asText(value)), { place: decimal, fromKey: decimal }),
    seconds: plainForm("seconds", (value) => totalSecondsOf(asText(value)), { place: decimal, fromKey: decimal }),
  });
}

function clockOf(time: string): string {
  return `${String(secondsOfDay(time))}${time.slice(CLOCK_LENGTH)}`;
}

function epochOf(timestamp: string): string {
  const { seconds, fraction } = toInstant(timestamp);
  return fromScaled(BigInt(seconds) * PICOSECONDS + BigInt(fraction), MAX_PRECISION);
}

/** A Decimal in SQL. */
export type DecimalTerm = Pick<Term, "sql" | "isShort" | "constant">;

/** The exact arithmetic and the calendar of one kind of database, in SQL. */
export interface NumberSyntax {
  /** Converts a whole number to the form of integers. */
  readonly asInteger: (value: Sql) => Sql;
  /** Converts any number to the form of Decimals. */
  readonly asDecimal: (value: Sql) => Sql;
  /** Divides a whole number and rounds down. */
  readonly floorDivide: (value: Sql, divisor: number) => Sql;
  /** Divides a non-negative whole number and drops the fraction. */
  readonly wholeDivide: (value: Sql, divisor: number) => Sql;
  readonly literal: (digits: string) => Sql;
  /** Multiplies two Decimals exactly. */
  readonly multiplyDecimals: (left: DecimalTerm, right: DecimalTerm) => Sql;
  /** Divides two Decimals as Edm.Decimal defines it; null for a divisor of zero. */
  readonly divideDecimals: (dividend: DecimalTerm, divisor: DecimalTerm) => Sql;
  /** Converts any number to a Decimal, a double to its shortest Decimal; null if it is not finite. */
  readonly decimalOf: (value: Sql, isDouble: boolean) => Sql;
  /** Returns a part of the date this many days after 2000-01-01, within 400 years. */
  readonly calendarPart: (part: "year" | "month" | "day", days: Sql) => Sql;
}

/** Returns the days in a number of seconds, rounded down. */
export function toDays(seconds: Sql, { asInteger, floorDivide }: NumberSyntax): Sql {
  return asInteger(floorDivide(sql`floor(${seconds})`, SECONDS_PER_DAY));
}

/** Returns the value if it is strictly between the bounds, otherwise null. */
export function between(value: Sql, low: string, high: string, { literal }: Pick<NumberSyntax, "literal">): Sql {
  const [least, greatest] = [literal(low), literal(high)];
  // Clamps to the bounds and replaces the bounds with null, so that the value appears only once.
  return sql`nullif(nullif(least(greatest(${value}, ${least}), ${greatest}), ${least}), ${greatest})`;
}
