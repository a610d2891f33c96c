import { sql } from "kysely";
import type { Alive } from "../dialect-profile.ts";

/**
 * The conditions that end a statement of `sqliteDialect`: they call its function `odata_alive()`. A call costs ten times as
 * much as the remainder of a row id, and keeps 16 bytes until the statement ends. 1021 is prime, so ids in steps meet it, too.
 * @see docs/decisions/0026-reader-threads.md
 */
export const SQLITE_ALIVE: Alive = Object.freeze<Alive>({
  // A view, and a table that is `without rowid`, have none.
  hasRowIds: (table, reader) => {
    try {
      return reader.readRows(`select _rowid_ from ${table} limit 0`, []).length === 0;
    } catch {
      return false;
    }
  },
  ofRowIds: (alias) => sql`(${sql.id(alias)}._rowid_ % 1021 or odata_alive())`,
  // Most lists are short: their first items need no call.
  ofItems: (alias) => sql`((${sql.id(alias, "key")} + 1) % 1021 or odata_alive())`,
  // The function returns 1, so the column is never read. A plus keeps an index from serving it.
  ofRows: (column) => sql`(odata_alive() or +${column} = 0)`,
});
