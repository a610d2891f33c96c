import { sql } from "kysely";
import type { ColumnFormat } from "../../columns/column-format.ts";
import type { Sql } from "../../statement/sql-form.ts";

type Readable = NonNullable<ColumnFormat["readable"]>;

/**
 * Each returns the cell, or null for one that its type cannot have: a column of SQLite may contain anything.
 * @see https://www.sqlite.org/flexquirks.html
 */

const where = (column: Sql, ...tests: readonly Sql[]): Sql =>
  sql`(case when ${sql.join(tests, sql` and `)} then ${column} end)`;
const isNumber = (column: Sql): Sql => sql`typeof(${column}) in ('integer', 'real')`;
const isText = (column: Sql): Sql => sql`typeof(${column}) = 'text'`;
const isFinite = (column: Sql): Sql => sql`${column} > -9e999 and ${column} < 9e999`;

/** Numbers, the infinite ones included. */
export const readableDouble: Readable = (column) => where(column, isNumber(column));

/** 0 and 1. */
export const readableBoolean: Readable = (column) => where(column, isNumber(column), sql`${column} in (0, 1)`);

/** Integers of 64 bits, and their texts. */
export const readableInt64: Readable = (column) =>
  where(column, sql`typeof(${column}) in ('integer', 'text')`, sql`${column} = cast(${column} as integer)`);

/** Whole numbers within bounds. */
export function readableInteger(least: number, greatest: number): Readable {
  return (column) => {
    const isWithin = sql`${column} between ${sql.lit(least)} and ${sql.lit(greatest)}`;
    return where(column, isNumber(column), isWithin, sql`${column} = cast(${column} as integer)`);
  };
}

/** Finite numbers, and texts of the characters of a number. */
export const readableDecimal: Readable = (column) => {
  const isNumeric = sql`${isNumber(column)} and ${isFinite(column)}`;
  const isWritten = sql`${isText(column)} and ${column} glob '*[0-9]*' and ${column} not glob '*[^-+.0-9eE]*'`;
  return where(column, sql`(${isNumeric} or ${isWritten})`);
};

/** The days of the calendar. Dates of other years are not tested further. */
const isDay = (day: Sql): Sql =>
  sql`(case when ${day} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' then date(${day}) = ${day} else ${day} glob '[-0-9][0-9][0-9][0-9][0-9]*-[0-9][0-9]-[0-9][0-9]' end)`;

export const readableDate: Readable = (column) => where(column, isText(column), isDay(column));

export const readableTime: Readable = (column) =>
  where(
    column,
    isText(column),
    sql`${column} glob '[0-2][0-9]:[0-9][0-9]*'`,
    // The bare column might be compared as a number.
    sql`substr(${column}, 1, 2) < '24'`,
    sql`time(${column}) is not null`,
  );

/** Timestamps with an offset, and those of SQLite's own functions, with a blank and without an offset. */
export const readableTimestamp: Readable = (column) => {
  const isRead = sql`${isDay(sql`substr(${column}, 1, 10)`)} and julianday(${column}) is not null`;
  const hasOffset = sql`(${column} glob '*Z' or ${column} glob '*[-+][0-9][0-9]:[0-9][0-9]')`;
  const ofFourDigits = sql`when ${column} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*' then ${hasOffset} and ${isRead}`;
  const ofFunctions = sql`when ${column} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] *' then ${isRead}`;
  const others = sql`${column} glob '[-0-9][0-9][0-9][0-9][0-9]*-[0-9][0-9]-[0-9][0-9]T*' and ${hasOffset}`;
  return where(column, isText(column), sql`(case ${ofFourDigits} ${ofFunctions} else ${others} end)`);
};
