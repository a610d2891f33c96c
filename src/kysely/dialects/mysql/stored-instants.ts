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
import { MY_FORMS } from "./forms.ts";
import { MY_NUMBERS } from "./numbers.ts";
import { MY_TEXTS } from "./temporal-forms.ts";

const asInteger = (cell: Sql): Sql => sql`cast(${cell} as signed)`;
const julianMilliseconds = (cell: Sql): Sql => sql`floor(${cell} * 86400000e0 + 0.5e0)`;

/** The ways in which MariaDB holds timestamps and dates beside its own types, by the name of the storage. */
export const MY_STORED_INSTANTS: Readonly<Record<string, StoredInstants>> = Object.freeze({
  epoch: stored(EPOCH_CELLS, (cell) => sql`(${asInteger(cell)} * 0.001)`, { place: asInteger }),
  "epoch-seconds": stored(EPOCH_SECOND_CELLS, asInteger, { place: asInteger }),
  julian: stored(
    JULIAN_CELLS,
    (cell) => sql`((${asInteger(julianMilliseconds(cell))} - ${sql.lit(JULIAN_EPOCH)}) * 0.001)`,
    {
      place: (cell) => sql`(${cell} + 0e0)`,
      ordered: julianMilliseconds,
      toSelected: (column) => sql`cast(${asInteger(julianMilliseconds(column))} as char)`,
    },
  ),
  // Every collation has the digits in their order, and all texts have the other characters in the same places.
  "sqlite-datetime": stored(SQLITE_TEXT_CELLS, MY_TEXTS.epochOfUtcText, {
    ordered: (cell) => sql`concat(${cell}, substr('.000000000000', length(${cell}) - 18))`,
  }),
});

function stored(
  cells: InstantCells,
  toSeconds: (cell: Sql) => Sql,
  others: Pick<InstantSyntax, "place" | "ordered"> & Partial<InstantSyntax>,
): StoredInstants {
  return storedInstants(cells, {
    bind: String,
    toSelected: (column) => sql`cast(${column} as char)`,
    ...conversionsBySeconds(toSeconds, { numbers: MY_NUMBERS, forms: MY_FORMS.temporal }),
    ...others,
  });
}
