import { sql } from "kysely";
import { MAX_DECIMAL_DIGITS } from "../../../edm/decimal.ts";
import type { StoredText } from "../../cells/stored-texts.ts";
import type { ColumnFormat } from "../../columns/column-format.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { isClock, isDate, isDay, isFraction, isPlain } from "./readable-texts.ts";

type Readable = NonNullable<ColumnFormat["readable"]>;
type Test = (column: Sql) => Sql;

/**
 * Each returns the cell, or null for one that its type cannot have: a column of SQLite may contain anything. A test is exact,
 * because a filter must find as null what a response shows as null.
 * @see https://www.sqlite.org/flexquirks.html
 */

const where = (column: Sql, ...tests: readonly Sql[]): Sql =>
  sql`(case when ${sql.join(tests, sql` and `)} then ${column} end)`;
const isNumber: Test = (column) => sql`typeof(${column}) in ('integer', 'real')`;
const isText: Test = (column) => sql`typeof(${column}) = 'text'`;
const isFinite: Test = (column) => sql`${column} > -9e999 and ${column} < 9e999`;

/** Numbers, the infinite ones included. */
export const readableDouble: Readable = (column) => where(column, isNumber(column));

/** 0 and 1. */
export const readableBoolean: Readable = (column) => where(column, isNumber(column), sql`${column} in (0, 1)`);

/** Integers of 64 bits. */
export const readableInt64: Readable = (column) => where(column, sql`typeof(${column}) = 'integer'`);

/** Texts. */
export const readableText: Readable = (column) => where(column, isText(column));

/** Bytes. */
export const readableBytes: Readable = (column) => where(column, sql`typeof(${column}) = 'blob'`);

/** Whole numbers within bounds. */
export function readableInteger(least: number, greatest: number): Readable {
  return (column) => {
    const isWithin = sql`${column} between ${sql.lit(least)} and ${sql.lit(greatest)}`;
    return where(column, isNumber(column), isWithin, sql`${column} = cast(${column} as integer)`);
  };
}

/** Finite numbers that are doubles. */
export const readableReal: Readable = (column) => {
  const isDouble = sql`(typeof(${column}) = 'real' or ${column} between -9007199254740991 and 9007199254740991 or ${column} = -9223372036854775808)`;
  return where(column, isNumber(column), isFinite(column), isDouble);
};

const GUID = [8, 4, 4, 4, 12].map((digits) => "[0-9a-fA-F]".repeat(digits)).join("-");

export const readableGuid: Readable = (column) =>
  where(column, isText(column), sql`length(${column}) = 36`, isPlain(column), sql`${column} glob ${sql.lit(GUID)}`);

export const readableDate: Readable = (column) => where(column, isText(column), isDate(column));

export const readableTime: Readable = (column) => where(column, isText(column), isClock(column));

/** How a dialect tells texts that are values from others. */
export type TextTests = Readonly<Record<StoredText, Test>>;

/** The tests of texts of usual forms, which need no function. Another text may be a value, too. */
const USUAL: TextTests = {
  decimal: (column) => {
    const digits = sql`ltrim(${column}, '-')`;
    const fraction = sql`ltrim(${digits}, '0123456789')`;
    const isWhole = sql`${fraction} = '' or (${fraction} glob '.[0-9]*' and ltrim(substr(${fraction}, 2), '0123456789') = '')`;
    const hasOneSign = sql`(${column} glob '[0-9]*' or ${column} glob '-[0-9]*')`;
    return sql`(${hasOneSign} and length(${column}) <= ${sql.lit(MAX_DECIMAL_DIGITS)} and (${isWhole}))`;
  },
  duration: (column) => {
    const unit = sql`ltrim(substr(${column}, 3), '0123456789')`;
    return sql`(${column} glob 'PT[0-9]*' and length(${column}) <= 14 and ${isPlain(column)} and ${unit} in ('H', 'M', 'S'))`;
  },
  timestamp: (column) => {
    const clock = sql`substr(${column}, 11, 9)`;
    const isTime = sql`${clock} glob '[T ][0-2][0-9]:[0-5][0-9]:[0-5][0-9]' and substr(${column}, 12, 2) < '24'`;
    const end = sql`(case substr(${column}, 11, 1) when 'T' then 'Z' else '' end)`;
    const isEnd = sql`(substr(${column}, 20) = ${end} or ${isFraction(column, 20, end)})`;
    return sql`(${isTime} and ${isEnd} and ${isPlain(column)} and ${isDay(sql`substr(${column}, 1, 10)`)})`;
  },
};

/** The tests of `sqliteDialect`, whose function reads the other texts as responses do. */
export const FUNCTION_TESTS: TextTests = testsOf((kind, column) => sql`odata_readable(${sql.lit(kind)}, ${column})`);

/** The tests of a dialect without functions: the forms of the other texts, but not each part of them. */
export const BARE_TESTS: TextTests = testsOf((kind, column) => FORMS[kind](column));

const FORMS: TextTests = {
  decimal: (column) => {
    const mantissa = sql`substr(${column}, 1, instr(lower(${column}), 'e') - 1)`;
    const exponent = sql`substr(${column}, instr(lower(${column}), 'e') + 1)`;
    const isExponent = sql`ltrim(substr(${exponent}, 1 + (substr(${exponent}, 1, 1) in ('+', '-'))), '0123456789') = ''`;
    const isShort = sql`${exponent} glob '*[0-9]' and abs(cast(${exponent} as integer)) < ${sql.lit(MAX_DECIMAL_DIGITS)}`;
    return sql`(${USUAL.decimal(mantissa)} and ${isExponent} and ${isShort})`;
  },
  duration: (column) =>
    sql`(upper(${column}) glob '*P*[0-9][DHMS]' and upper(${column}) not glob '*[^-+PTDHMS.0-9]*' and ltrim(upper(${column}), '+-') glob 'P[T0-9]*')`,
  timestamp: (column) => {
    const isOffset = sql`(${column} glob '*[Zz]' or ${column} glob '*[-+][01][0-9]:[0-5][0-9]')`;
    const isTime = sql`substr(${column}, instr(lower(${column}), 't')) glob '[Tt][0-2][0-9]:[0-5][0-9]*' and time(substr(${column}, instr(lower(${column}), 't') + 1, 5)) is not null`;
    const day = sql`substr(${column}, 1, instr(lower(${column}), 't') - 1)`;
    const isMinute = sql`(length(${column}) = 16 and substr(${column}, 11) glob ' [0-2][0-9]:[0-5][0-9]' and ${isDay(sql`substr(${column}, 1, 10)`)} and substr(${column}, 12, 2) < '24')`;
    return sql`((${isTime} and ${isOffset} and ${isDate(day)}) or ${isMinute})`;
  },
};

function testsOf(others: (kind: StoredText, column: Sql) => Sql): TextTests {
  const testOf =
    (kind: StoredText): Test =>
    (column) =>
      sql`(${USUAL[kind](column)} or ${others(kind, column)})`;
  return Object.freeze({ decimal: testOf("decimal"), duration: testOf("duration"), timestamp: testOf("timestamp") });
}

/** What texts of columns are readable, by the tests of a dialect. */
export interface ReadableTexts {
  readonly decimal: Readable;
  readonly duration: Readable;
  readonly timestamp: Readable;
}

/** Makes the functions that return texts of the kinds that a dialect tests in its own way. */
export function readableTexts({ decimal, duration, timestamp }: TextTests): ReadableTexts {
  return Object.freeze<ReadableTexts>({
    decimal: (column) => {
      const isNumeric = sql`${isNumber(column)} and ${isFinite(column)}`;
      return where(column, sql`((${isNumeric}) or (${isText(column)} and ${decimal(column)}))`);
    },
    duration: (column) => where(column, isText(column), duration(column)),
    timestamp: (column) => where(column, isText(column), timestamp(column)),
  });
}
