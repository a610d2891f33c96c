import { sql } from "kysely";
import { MAX_DECIMAL_DIGITS } from "../../../edm/decimal.ts";
import {
  EPOCH_CELLS,
  EPOCH_SECOND_CELLS,
  JULIAN_CELLS,
  JULIAN_EPOCH,
  SQLITE_TEXT_CELLS,
  type InstantCells,
} from "../../cells/instant-cells.ts";
import type { StoredText } from "../../cells/text-cells.ts";
import type { ColumnFormat } from "../../columns/column-format.ts";
import { storedInstants, type InstantSyntax, type StoredInstants } from "../../forms/stored-instants.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { ANY_DATE_FORM, INSTANT_FORM, instantKey, TO_DATE_KEY } from "./temporal-forms.ts";

type Readable = NonNullable<ColumnFormat["readable"]>;
type Test = (column: Sql) => Sql;

/**
 * Each function returns the cell, or null if its type cannot have the cell: a column of SQLite may contain any value. A test is
 * exact, because a filter must find as null every cell that a response shows as null.
 * @see https://www.sqlite.org/flexquirks.html
 */

const where = (column: Sql, ...tests: readonly Sql[]): Sql =>
  sql`(case when ${sql.join(tests, sql` and `)} then ${column} end)`;
const isNumber: Test = (column) => sql`typeof(${column}) in ('integer', 'real')`;
const isText: Test = (column) => sql`typeof(${column}) = 'text'`;
const isFinite: Test = (column) => sql`${column} > -9e999 and ${column} < 9e999`;

/** Numbers, the infinite ones included. */
const readableDouble: Readable = (column) => where(column, isNumber(column));

/** 0 and 1. */
const readableBoolean: Readable = (column) => where(column, isNumber(column), sql`${column} in (0, 1)`);

/** Integers of 64 bits. */
const readableInt64: Readable = (column) => where(column, sql`typeof(${column}) = 'integer'`);

/** Texts. */
const readableText: Readable = (column) => where(column, isText(column));

/** Bytes. */
const readableBytes: Readable = (column) => where(column, sql`typeof(${column}) = 'blob'`);

/** Whole numbers within bounds. */
export function readableInteger(least: bigint, greatest: bigint): Readable {
  return (column) => {
    const isWithin = sql`${column} between ${sql.raw(String(least))} and ${sql.raw(String(greatest))}`;
    return where(column, isNumber(column), isWithin, sql`${column} = cast(${column} as integer)`);
  };
}

/** Finite numbers that are doubles. */
const readableReal: Readable = (column) => {
  const isDouble = sql`(typeof(${column}) = 'real' or ${column} between -9007199254740991 and 9007199254740991 or ${column} = -9223372036854775808)`;
  return where(column, isNumber(column), isFinite(column), isDouble);
};

const GUID = [8, 4, 4, 4, 12].map((digits) => "[0-9a-fA-F]".repeat(digits)).join("-");

const readableGuid: Readable = (column) =>
  where(column, isText(column), sql`length(${column}) = 36`, isPlain(column), sql`${column} glob ${sql.lit(GUID)}`);

const readableDate: Readable = (column) => where(column, isText(column), isDate(column));

const readableTime: Readable = (column) => where(column, isText(column), isClock(column));

/** The readable cells of types without facets. */
export const READABLE: Readonly<
  Record<"double" | "boolean" | "int64" | "text" | "bytes" | "real" | "guid" | "date" | "time", Readable>
> = Object.freeze({
  double: readableDouble,
  boolean: readableBoolean,
  int64: readableInt64,
  text: readableText,
  bytes: readableBytes,
  real: readableReal,
  guid: readableGuid,
  date: readableDate,
  time: readableTime,
});

/** The tests of a dialect that distinguish texts with a value from other texts. */
type TextTests = Readonly<Record<StoredText, Test>>;

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

/** The readable texts of columns, by the tests of a dialect. */
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
function isPlain(text: Sql): Sql {
  return sql`not instr(${text}, char(0))`;
}

/** Whether a text is a day of a year of four digits. */
function isDay(day: Sql): Sql {
  return sql`(${day} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' and date(${day}) = ${day})`;
}

/** Whether a text is a date of any year. Each year is a leap year if the year of its last four digits is. */
function isDate(text: Sql): Sql {
  const unsigned = sql`substr(${text}, 1 + (substr(${text}, 1, 1) = '-'))`;
  const day = sql`substr(${text}, -10)`;
  const digits = sql`(length(${unsigned}) - 6)`;
  const isYear = sql`(${digits} = 4 or (${digits} between 5 and ${sql.lit(MOST_YEAR_DIGITS)} and ${unsigned} not glob '0*'))`;
  const isWhole = sql`${isPlain(text)} and ltrim(${unsigned}, ${DIGITS}) = substr(${day}, 5)`;
  const isSigned = sql`${text} not glob ${sql.lit(`${NO_YEAR}*`)}`;
  return sql`(${isDay(text)} or (${isYear} and ${isSigned} and ${isWhole} and ${isDay(day)}))`;
}

/** Whether a text is a time of day, to the minute or with up to twelve digits of a second. */
function isClock(text: Sql): Sql {
  const isMinute = sql`${text} glob '[0-2][0-9]:[0-5][0-9]*' and substr(${text}, 1, 2) < '24'`;
  const isSecond = sql`substr(${text}, 6, 3) glob ':[0-5][0-9]'`;
  const isEnd = sql`(substr(${text}, 9) = '' or ${isFraction(text, 9, sql`''`)})`;
  return sql`(${isMinute} and ${isPlain(text)} and (substr(${text}, 6) = '' or (${isSecond} and ${isEnd})))`;
}

/** Whether the rest of a text is a point, one to twelve digits, and an end. */
function isFraction(text: Sql, start: number, end: Sql): Sql {
  const rest = sql`ltrim(substr(${text}, ${sql.lit(start + 1)}), ${DIGITS})`;
  const length = sql`length(${text}) - length(${end})`;
  const isLength = sql`${length} between ${sql.lit(start + 1)} and ${sql.lit(start + 12)}`;
  return sql`(substr(${text}, ${sql.lit(start)}, 1) = '.' and ${isLength} and ${rest} = ${end})`;
}

/** Equals no integer. */
const NO_INTEGER = 0.5;

/** The instants of the years 0 to 9999. */
const LEAST_MILLISECONDS = -62_167_219_200_000;
const GREATEST_MILLISECONDS = 253_402_300_799_999;

const julianMilliseconds = (cell: Sql): Sql => sql`cast(${cell} * 86400000.0 + 0.5 as integer)`;

const sinceEpoch = (cell: Sql): Sql => sql`(${julianMilliseconds(cell)} - ${sql.lit(JULIAN_EPOCH)})`;

const isWhole = (cell: Sql): Sql => sql`${cell} = cast(${cell} as integer)`;

/** Whether a cell is an instant of the years 0 to 9999, and whether such an instant is a midnight in UTC. */
interface InstantTests {
  readonly isInstant: (cell: Sql) => Sql;
  readonly isMidnight: (cell: Sql) => Sql;
}

/** @param toMilliseconds returns the milliseconds since 1970 of a number */
function numberTests(isCell: (cell: Sql) => Sql, toMilliseconds: (cell: Sql) => Sql): InstantTests {
  return {
    isInstant: (cell) => {
      const isNumber = sql`typeof(${cell}) in ('integer', 'real') and ${isCell(cell)}`;
      const isWithin = sql`${toMilliseconds(cell)} between ${sql.lit(LEAST_MILLISECONDS)} and ${sql.lit(GREATEST_MILLISECONDS)}`;
      return sql`(${isNumber} and ${isWithin})`;
    },
    isMidnight: (cell) => sql`${toMilliseconds(cell)} % 86400000 = 0`,
  };
}

const NO_END = sql.lit("");

const TEXT_TESTS: InstantTests = {
  isInstant: (cell) => {
    const isClock = sql`substr(${cell}, 11, 9) glob ' [0-2][0-9]:[0-5][0-9]:[0-5][0-9]' and substr(${cell}, 12, 2) < '24'`;
    const isEnd = sql`(substr(${cell}, 20) = '' or ${isFraction(cell, 20, NO_END)})`;
    return sql`(typeof(${cell}) = 'text' and ${isClock} and ${isEnd} and ${isPlain(cell)} and ${isDay(sql`substr(${cell}, 1, 10)`)})`;
  },
  isMidnight: (cell) => sql`ltrim(substr(${cell}, 11), ' 0:.') = ''`,
};

/** A column of SQLite may contain a text of digits, which no comparison with a number finds. */
function ofNumbers(cells: InstantCells): InstantCells {
  return Object.freeze({ ...cells, read: (cell: unknown) => (typeof cell === "string" ? null : cells.read(cell)) });
}

/** The storage forms of timestamps and dates other than the default, by the name of the storage. */
export const SQLITE_STORED_INSTANTS: Readonly<Record<string, StoredInstants>> = Object.freeze({
  epoch: storedInstants(
    ofNumbers(EPOCH_CELLS),
    syntax(
      (cell) => sql`odata_instant_of_epoch(${cell})`,
      numberTests(isWhole, (cell) => cell),
      { none: NO_INTEGER },
    ),
  ),
  "epoch-seconds": storedInstants(
    ofNumbers(EPOCH_SECOND_CELLS),
    syntax(
      (cell) => sql`odata_instant_of_epoch(${cell} * 1000)`,
      numberTests(isWhole, (cell) => sql`(${cell} * 1000)`),
      { none: NO_INTEGER },
    ),
  ),
  julian: storedInstants(
    ofNumbers(JULIAN_CELLS),
    syntax(
      (cell) => sql`odata_instant_of_epoch(${sinceEpoch(cell)})`,
      numberTests(() => sql`1 = 1`, sinceEpoch),
      { ordered: julianMilliseconds },
    ),
  ),
  // Functions of timestamps read this text directly.
  "sqlite-datetime": storedInstants(
    SQLITE_TEXT_CELLS,
    syntax((cell) => cell, TEXT_TESTS, {
      ordered: (cell) => sql`(${cell} || substr('.000000000000', length(${cell}) - 18))`,
    }),
  ),
});

function syntax(
  toText: (cell: Sql) => Sql,
  tests: InstantTests,
  others: Pick<InstantSyntax, "none" | "ordered">,
): InstantSyntax {
  const toDate = (cell: Sql): Sql => sql`odata_date(${toText(cell)})`;
  return {
    bind: (cell) => cell,
    toSelected: (column) => column,
    timestamp: {
      comparable: instantKey(toText),
      computable: { form: INSTANT_FORM, apply: toText },
      readable: (cell) => sql`(case when ${tests.isInstant(cell)} then ${cell} end)`,
    },
    date: {
      comparable: { form: TO_DATE_KEY.form, apply: (cell) => TO_DATE_KEY.apply(toDate(cell)) },
      computable: { form: ANY_DATE_FORM, apply: toDate },
      readable: (cell) =>
        sql`(case when ${tests.isInstant(cell)} then case when ${tests.isMidnight(cell)} then ${cell} end end)`,
    },
    ...others,
  };
}
