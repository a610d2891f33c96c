import { sql } from "kysely";
import {
  EPOCH_CELLS,
  EPOCH_SECOND_CELLS,
  JULIAN_CELLS,
  JULIAN_EPOCH,
  SQLITE_TEXT_CELLS,
  type InstantCells,
} from "../../cells/instant-cells.ts";
import { storedInstants, type InstantSyntax, type StoredInstants } from "../../forms/stored-instants.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { isDay, isFraction, isPlain } from "./readable-texts.ts";
import { ANY_DATE_FORM, INSTANT_FORM, instantKey, TO_DATE_KEY } from "./temporal-forms.ts";

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
