import { sql } from "kysely";
import { castInstants, type StoredInstants } from "../../forms/stored-instants.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { PG_FORMS } from "./forms.ts";
import { PG_NUMBERS } from "./numbers.ts";
import { PG_TEXTS } from "./temporal-forms.ts";

/** By code point, which the collation of a column may not be. */
const byCodePoint = (cell: Sql): Sql => sql`(${cell}::text collate "C")`;

/** The ways in which PostgreSQL holds timestamps and dates beside its own types, by the name of the storage. */
export const PG_STORED_INSTANTS: Readonly<Record<string, StoredInstants>> = castInstants({
  numbers: PG_NUMBERS,
  forms: PG_FORMS.temporal,
  asText: (value) => sql`${value}::text`,
  exact: (cell) => sql`${cell}::numeric`,
  asDouble: (place) => sql`${place}::float8`,
  julianMilliseconds: (cell) => sql`floor(${cell} * 86400000::float8 + 0.5)`,
  epochOfText: (cell) => PG_TEXTS.epochOfUtcText(sql`${cell}::text`),
  texts: {
    place: byCodePoint,
    sortable: byCodePoint,
    ordered: (cell) => byCodePoint(sql`(${cell} || substr('.000000000000', length(${cell}) - 18))`),
  },
});
