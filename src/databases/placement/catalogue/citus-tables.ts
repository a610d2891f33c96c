import { type CatalogueSteps, textOf, textOrNull } from "../../introspect/catalogue-steps.ts";
import type { TablePlacement } from "../../introspect/schema.ts";

/** Whether the database has Citus. */
export const IS_CITUS =
  "(to_regprocedure('citus_version()') is not null and to_regclass('pg_dist_partition') is not null)::text";

/** Views, and tables of the coordinator. */
export const ELSEWHERE: TablePlacement = Object.freeze({ kind: "unknown" });

/** The tables of Citus, with the first table of each group of co-located ones. */
const TABLES = `select p.logicalrelid::oid::text as c0, p.partmethod::text as c1, p.repmodel::text as c2,
  case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey::text) end as c3,
  first_value(n.nspname::text) over w as c4, first_value(c.relname::text) over w as c5
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid join pg_namespace n on n.oid = c.relnamespace
  window w as (partition by p.partmethod, p.colocationid order by n.nspname collate "C", c.relname collate "C"
    rows between unbounded preceding and current row)`;

/**
 * Reads how Citus stores its tables, by their oids.
 * @see https://docs.citusdata.com/en/stable/develop/api_metadata.html
 */
export function* readPlacements(): CatalogueSteps<ReadonlyMap<string, TablePlacement>> {
  const rows = yield { sql: TABLES, parameters: [], width: 6 };
  return new Map(
    rows.map(([oid, method, model, column, schema, name]): readonly [string, TablePlacement] => {
      const found = textOrNull(column);
      if (found !== null) {
        const first = { schema: textOf(schema), name: textOf(name) };
        return [textOf(oid), { kind: "column", column: found, first }];
      }
      const isReference = textOf(method) === "n" && textOf(model) === "t";
      return [textOf(oid), { kind: isReference ? "reference" : "unknown" }];
    }),
  );
}
