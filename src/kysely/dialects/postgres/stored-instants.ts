import { sql } from "kysely";
import {
  EPOCH_CELLS,
  EPOCH_SECOND_CELLS,
  JULIAN_CELLS,
  JULIAN_EPOCH,
  SQLITE_TEXT_CELLS,
  type InstantCells,
} from "../../cells/instant-cells.ts";
import {
  conversionsBySeconds,
  storedInstants,
  type InstantSyntax,
  type StoredInstants,
} from "../../forms/stored-instants.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { PG_FORMS } from "./forms.ts";
import { PG_NUMBERS } from "./numbers.ts";
import { PG_TEXTS } from "./temporal-forms.ts";

const julianMilliseconds = (cell: Sql): Sql => sql`floor(${cell} * 86400000::float8 + 0.5)`;
/** By code point, which the collation of a column may not be. */
const byCodePoint = (cell: Sql): Sql => sql`(${cell}::text collate "C")`;

/** The ways in which PostgreSQL holds timestamps and dates beside its own types, by the name of the storage. */
export const PG_STORED_INSTANTS: Readonly<Record<string, StoredInstants>> = Object.freeze({
  epoch: stored(EPOCH_CELLS, (cell) => sql`(${cell}::numeric * 0.001)`, {
    place: (cell) => sql`${cell}::int8`,
  }),
  "epoch-seconds": stored(EPOCH_SECOND_CELLS, (cell) => sql`${cell}::numeric`, {
    place: (cell) => sql`${cell}::int8`,
  }),
  julian: stored(
    JULIAN_CELLS,
    (cell) => sql`((${julianMilliseconds(cell)}::int8 - ${sql.lit(JULIAN_EPOCH)}) * 0.001)`,
    {
      place: (cell) => sql`${cell}::float8`,
      ordered: julianMilliseconds,
      toSelected: (column) => sql`${julianMilliseconds(column)}::int8::text`,
    },
  ),
  "sqlite-datetime": stored(SQLITE_TEXT_CELLS, (cell) => PG_TEXTS.epochOfUtcText(sql`${cell}::text`), {
    place: byCodePoint,
    sortable: byCodePoint,
    ordered: (cell) => byCodePoint(sql`(${cell} || substr('.000000000000', length(${cell}) - 18))`),
  }),
});

function stored(
  cells: InstantCells,
  toSeconds: (cell: Sql) => Sql,
  others: Pick<InstantSyntax, "place" | "sortable" | "ordered"> & Partial<InstantSyntax>,
): StoredInstants {
  return storedInstants(cells, {
    bind: String,
    toSelected: (column) => sql`${column}::text`,
    ...conversionsBySeconds(toSeconds, { numbers: PG_NUMBERS, forms: PG_FORMS.temporal }),
    ...others,
  });
}
