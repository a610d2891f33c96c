import { sql } from "kysely";
import type { Sql } from "../../statement/sql-form.ts";

/**
 * Tests of texts with dates and times in SQL. `glob`, `length` and `substr` end at U+0000, so each test excludes it.
 * @see https://www.sqlite.org/lang_datefunc.html
 */

const DIGITS = sql.lit("0123456789");
/** The year 0 with a sign, which no value has. */
export const NO_YEAR = "-0000";
/** The most digits of a year. */
const MOST_YEAR_DIGITS = 7;

/** Whether a text has no U+0000. */
export function isPlain(text: Sql): Sql {
  return sql`not instr(${text}, char(0))`;
}

/** Whether a text is a day of a year of four digits. */
export function isDay(day: Sql): Sql {
  return sql`(${day} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' and date(${day}) = ${day})`;
}

/** Whether a text is a date of any year. Each year is a leap year if the one of its last four digits is. */
export function isDate(text: Sql): Sql {
  const unsigned = sql`substr(${text}, 1 + (substr(${text}, 1, 1) = '-'))`;
  const day = sql`substr(${text}, -10)`;
  const digits = sql`(length(${unsigned}) - 6)`;
  const isYear = sql`(${digits} = 4 or (${digits} between 5 and ${sql.lit(MOST_YEAR_DIGITS)} and ${unsigned} not glob '0*'))`;
  const isWhole = sql`${isPlain(text)} and ltrim(${unsigned}, ${DIGITS}) = substr(${day}, 5)`;
  const isSigned = sql`${text} not glob ${sql.lit(`${NO_YEAR}*`)}`;
  return sql`(${isDay(text)} or (${isYear} and ${isSigned} and ${isWhole} and ${isDay(day)}))`;
}

/** Whether a text is a time of day, to the minute or with up to twelve digits of a second. */
export function isClock(text: Sql): Sql {
  const isMinute = sql`${text} glob '[0-2][0-9]:[0-5][0-9]*' and substr(${text}, 1, 2) < '24'`;
  const isSecond = sql`substr(${text}, 6, 3) glob ':[0-5][0-9]'`;
  const isEnd = sql`(substr(${text}, 9) = '' or ${isFraction(text, 9, sql`''`)})`;
  return sql`(${isMinute} and ${isPlain(text)} and (substr(${text}, 6) = '' or (${isSecond} and ${isEnd})))`;
}

/** Whether the rest of a text is a point, one to twelve digits, and an end. */
export function isFraction(text: Sql, start: number, end: Sql): Sql {
  const rest = sql`ltrim(substr(${text}, ${sql.lit(start + 1)}), ${DIGITS})`;
  const length = sql`length(${text}) - length(${end})`;
  const isLength = sql`${length} between ${sql.lit(start + 1)} and ${sql.lit(start + 12)}`;
  return sql`(substr(${text}, ${sql.lit(start)}, 1) = '.' and ${isLength} and ${rest} = ${end})`;
}
