import { sql } from "kysely";
import type { RowGuard } from "../../statement/sql-form.ts";

/** Begins a text that is not a number: the error contains it, in any language. */
const MARK = "odatakit.bytes ";

/** How PostgreSQL refuses rows. It knows the bytes of a stored value without reading it. */
export const PG_ROW_GUARD: RowGuard = Object.freeze<RowGuard>({
  bytesOf: (column) => sql`octet_length(${column})::bigint`,
  bytesOfText: (cell) => sql`octet_length(${cell}::text)::bigint`,
  unlessLong: (bytes, most, cell) => sql`(case when ${bytes} <= ${most}::bigint then ${cell} end)`,
  // It depends on the row, so that it is not computed when the statement is planned.
  refuse: (bytes, most) =>
    sql`(case when ${bytes} > ${most}::bigint then (${sql.lit(MARK)} || (${bytes})::text)::int else 0 end)`,
  endsTransaction: true,
  isRefused: (error) => "code" in error && error.code === "22P02" && error.message.includes(MARK),
});
