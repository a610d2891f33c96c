import { sql } from "kysely";
import {
  EPOCH_CELLS,
  EPOCH_SECOND_CELLS,
  JULIAN_CELLS,
  JULIAN_EPOCH,
  SQLITE_TEXT_CELLS,
} from "../../cells/instant-cells.ts";
import { storedInstants, type InstantSyntax, type StoredInstants } from "../../forms/stored-instants.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { ANY_DATE_FORM, INSTANT_FORM, instantKey, TO_DATE_KEY } from "./temporal-forms.ts";

/** Equals no integer. */
const NO_INTEGER = 0.5;

const julianMilliseconds = (cell: Sql): Sql => sql`cast(${cell} * 86400000.0 + 0.5 as integer)`;

/** The storage forms of timestamps and dates other than the default, by the name of the storage. */
export const SQLITE_STORED_INSTANTS: Readonly<Record<string, StoredInstants>> = Object.freeze({
  epoch: storedInstants(
    EPOCH_CELLS,
    syntax((cell) => sql`odata_instant_of_epoch(${cell})`, { none: NO_INTEGER }),
  ),
  "epoch-seconds": storedInstants(
    EPOCH_SECOND_CELLS,
    syntax((cell) => sql`odata_instant_of_epoch(${cell} * 1000)`, {
      none: NO_INTEGER,
    }),
  ),
  julian: storedInstants(
    JULIAN_CELLS,
    syntax((cell) => sql`odata_instant_of_epoch(${julianMilliseconds(cell)} - ${sql.lit(JULIAN_EPOCH)})`, {
      ordered: julianMilliseconds,
    }),
  ),
  // Functions of timestamps read this text directly.
  "sqlite-datetime": storedInstants(
    SQLITE_TEXT_CELLS,
    syntax((cell) => cell, {
      ordered: (cell) => sql`(${cell} || substr('.000000000000', length(${cell}) - 18))`,
    }),
  ),
});

function syntax(toText: (cell: Sql) => Sql, others: Pick<InstantSyntax, "none" | "ordered">): InstantSyntax {
  const toDate = (cell: Sql): Sql => sql`odata_date(${toText(cell)})`;
  return {
    bind: (cell) => cell,
    toSelected: (column) => column,
    timestamp: { comparable: instantKey(toText), computable: { form: INSTANT_FORM, apply: toText } },
    date: {
      comparable: { form: TO_DATE_KEY.form, apply: (cell) => TO_DATE_KEY.apply(toDate(cell)) },
      computable: { form: ANY_DATE_FORM, apply: toDate },
    },
    ...others,
  };
}
