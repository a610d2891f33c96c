import type { Sql } from "../statement/sql-form.ts";

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
  /** What remains of a number, whole or not: from 0 up to the divisor, below it. */
  readonly modulo: (value: Sql, divisor: number) => Sql;
  readonly floor: (value: Sql) => Sql;
  /** Rounded half away from zero. */
  readonly round: (value: Sql, digits: number) => Sql;
  /** The value, or null at the bounds and beyond them. */
  readonly between: (value: Sql, low: string, high: string) => Sql;
  /** The quotient of two Decimals as Edm.Decimal has it; null for a divisor of zero. */
  readonly divideDecimals: (dividend: Sql, divisor: Sql, areShort: boolean) => Sql;
  /** A number of any kind as a Decimal, of a double the shortest; null for what is none. */
  readonly decimalOf: (value: Sql, isDouble: boolean) => Sql;
  /** A part of the day that lies so many days behind 2000-01-01: fewer than 400 years. */
  readonly calendarPart: (part: "year" | "month" | "day", days: Sql) => Sql;
}
