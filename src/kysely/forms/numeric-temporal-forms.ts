import { sql } from "kysely";
import { SECONDS_PER_DAY } from "../../edm/calendar.ts";
import { asText } from "../../edm/canonical-form.ts";
import { dateToEpochDays } from "../../edm/date.ts";
import { fromScaled } from "../../edm/decimal.ts";
import { totalSecondsOf } from "../../edm/duration.ts";
import { secondsOfDay } from "../../edm/time-of-day.ts";
import { MAX_PRECISION, toInstant } from "../cells/instant.ts";
import { plainForm, type Sql, type SqlForm } from "../statement/sql-form.ts";

/** Where the fraction of `hh:mm:ss` begins. */
const CLOCK_LENGTH = 8;
const PICOSECONDS = 10n ** 12n;

/**
 * Temporal values as exact numbers, in which databases without functions of our own compute: every year and all twelve
 * digits of a second have their place, and no time zone or calendar of the database is asked.
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
 * @param integer how a bound integer stands; @param decimal how a bound exact number stands
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

/** How one kind of database writes exact arithmetic, and the calendar. */
export interface NumberSyntax {
  /** A number that is whole as the form of integers. */
  readonly asInteger: (value: Sql) => Sql;
  /** Any number as the form of Decimals. */
  readonly asDecimal: (value: Sql) => Sql;
  /** The quotient of a whole number, rounded down. */
  readonly floorDivide: (value: Sql, divisor: number) => Sql;
  /** The quotient of a whole number that is not negative, without its fraction. */
  readonly wholeDivide: (value: Sql, divisor: number) => Sql;
  /** A number of many digits. */
  readonly literal: (digits: string) => Sql;
  /** The quotient of two Decimals as Edm.Decimal has it; null for a divisor of zero. */
  readonly divideDecimals: (dividend: Sql, divisor: Sql, areShort: boolean) => Sql;
  /** A number of any kind as a Decimal, of a double the shortest; null for what is none. */
  readonly decimalOf: (value: Sql, isDouble: boolean) => Sql;
  /** A part of the day that lies so many days behind 2000-01-01: fewer than 400 years. */
  readonly calendarPart: (part: "year" | "month" | "day", days: Sql) => Sql;
}

/** What remains of a number, whole or not: at least 0, and below the divisor. */
export function modulo(value: Sql, divisor: number): Sql {
  // The remainder of a negative number is negative.
  return sql`mod(mod(${value}, ${sql.lit(divisor)}) + ${sql.lit(divisor)}, ${sql.lit(divisor)})`;
}

/** The days in a number of seconds, rounded down. */
export function toDays(seconds: Sql, { asInteger, floorDivide }: NumberSyntax): Sql {
  return asInteger(floorDivide(sql`floor(${seconds})`, SECONDS_PER_DAY));
}

/** The value, or null at the bounds and beyond them. */
export function between(value: Sql, low: string, high: string, { literal }: NumberSyntax): Sql {
  const [least, greatest] = [literal(low), literal(high)];
  // Numbers beyond a bound become the bound, and the bound null, so that the value is written once.
  return sql`nullif(nullif(least(greatest(${value}, ${least}), ${greatest}), ${least}), ${greatest})`;
}
