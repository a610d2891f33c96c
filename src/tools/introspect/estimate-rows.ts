import { type CatalogueQuery, type CatalogueSteps, textOf, textOrNull } from "./catalogue-steps.ts";
import type { DatabaseKind } from "./database-schema.ts";
import type { WantedTable } from "./schema.ts";

/** The rows that are counted; above, the estimate of the database counts. */
const COUNTED = 10_000;
/** The number of tables that one statement reads. */
const TABLES_PER_STATEMENT = 50;

/** The rows of a table. */
interface EstimatedRows {
  readonly count: number;
  readonly kind: "exact" | "estimate" | "least";
}

/**
 * Estimates the rows of tables: counts up to 10,000, and reads larger numbers from the catalogue. Views have no estimate, and
 * neither have tables whose policies hide rows from the user of the connection.
 * @returns by `WantedTable.text`
 */
export function* estimateRows(
  kind: DatabaseKind,
  tables: readonly WantedTable[],
): CatalogueSteps<ReadonlyMap<string, EstimatedRows>> {
  const estimates = new Map<string, EstimatedRows>();
  for (let start = 0; start < tables.length; start += TABLES_PER_STATEMENT) {
    const part = tables.slice(start, start + TABLES_PER_STATEMENT);
    const small: WantedTable[] = [];
    for (const [index, cell] of yield LISTS[kind](part)) {
      const table = part[Number(textOf(index))];
      const estimate = Number(textOrNull(cell) ?? 0);
      if (table !== undefined && estimate > COUNTED) estimates.set(table.text, { count: estimate, kind: "estimate" });
      else if (table !== undefined) small.push(table);
    }
    if (small.length === 0) continue;
    const sql = small.map(({ text }, index) => countOf(text, index)).join(" union all ");
    for (const [index, cell] of yield { sql, parameters: [], width: 2 }) {
      const rows = Number(textOf(cell));
      const { text } = small[Number(textOf(index))] ?? { text: "" };
      estimates.set(text, { count: Math.min(rows, COUNTED), kind: rows <= COUNTED ? "exact" : "least" });
    }
  }
  return estimates;
}

function countOf(text: string, index: number): string {
  const at = String(index);
  return `select ${at} as c0, count(*) as c1 from (select 1 as x from ${text} limit ${String(COUNTED + 1)}) as some${at}`;
}

/** Lists the tables among some names, by their positions, with the estimates of the database. */
const LISTS: Readonly<Record<DatabaseKind, (tables: readonly WantedTable[]) => CatalogueQuery>> = {
  postgres: (tables) => ({
    sql: `select w.position - 1 as c0, c.reltuples::float8::bigint::text as c1
      from json_array_elements_text($1::json) with ordinality as w(name, position)
      join pg_class c on c.oid = to_regclass(w.name)::oid where c.relkind in ('r', 'p') and not c.relrowsecurity`,
    parameters: [JSON.stringify(tables.map(({ text }) => text))],
    width: 2,
  }),
  mysql: (tables) => ({
    sql: tables
      .map(
        (_table, index) => `select ${String(index)} as c0, table_rows as c1 from information_schema.tables
          where table_type = 'BASE TABLE' and table_schema = ifnull(nullif(?, ''), database()) and table_name = ?`,
      )
      .join(" union all "),
    parameters: tables.flatMap(({ names }) => [names.at(-2) ?? "", names.at(-1) ?? ""]),
    width: 2,
  }),
  sqlite: (tables) => ({
    sql: `select w.key as c0, null as c1 from json_each(?) as w join pragma_table_list as t
      on t.schema = json_extract(w.value, '$[0]') and t.name = json_extract(w.value, '$[1]') collate nocase
      where t.type = 'table'`,
    parameters: [JSON.stringify(tables.map(({ names }) => [names.at(-2) ?? "main", names.at(-1) ?? ""]))],
    width: 2,
  }),
};
