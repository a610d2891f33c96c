import { type CatalogueQuery, type CatalogueSteps, textOf, textOrNull } from "./catalogue-steps.ts";
import type { DatabaseKind } from "./database-schema.ts";
import type { WantedTable } from "./schema.ts";

/** The rows that are counted; above, the estimate of the database counts. */
const COUNTED = 10_000;

/** A number of rows. */
interface RowEstimate {
  readonly count: number;
  readonly kind: "exact" | "estimate" | "least";
}

/**
 * Estimates the rows of a table: counts up to 10,000, and reads larger numbers from the catalogue.
 * @returns null for a view, and for a table whose policies hide rows from the user of the connection
 */
export function* estimateRows(kind: DatabaseKind, table: WantedTable): CatalogueSteps<RowEstimate | null> {
  const [found] = yield ESTIMATES[kind](table);
  if (found === undefined) return null;
  const estimate = Number(textOrNull(found[0]) ?? 0);
  if (estimate > COUNTED) return { count: estimate, kind: "estimate" };
  const sql = `select count(*) as c0 from (select 1 as x from ${table.text} limit ${String(COUNTED + 1)}) as counted`;
  const [counted] = yield { sql, parameters: [], width: 1 };
  const count = Number(textOf(counted?.[0]));
  return count > COUNTED ? { count: COUNTED, kind: "least" } : { count, kind: "exact" };
}

/** Read the estimate of a database for a table, null without one; no row for a view. */
const ESTIMATES: Readonly<Record<DatabaseKind, (table: WantedTable) => CatalogueQuery>> = {
  postgres: ({ text }) => ({
    sql: `select reltuples::float8::bigint::text as c0 from pg_class
      where oid = to_regclass($1)::oid and relkind in ('r', 'p') and not relrowsecurity`,
    parameters: [text],
    width: 1,
  }),
  mysql: ({ names }) => ({
    sql: `select table_rows as c0 from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema = ifnull(nullif(?, ''), database()) and table_name = ?`,
    parameters: [names.at(-2) ?? "", names.at(-1) ?? ""],
    width: 1,
  }),
  sqlite: ({ names }) => ({
    sql: `select null as c0 from pragma_table_list where type = 'table' and schema = ? and name = ? collate nocase`,
    parameters: [names.at(-2) ?? "main", names.at(-1) ?? ""],
    width: 1,
  }),
};
