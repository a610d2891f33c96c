import { type CatalogueSteps, textOf, textOrNull } from "../../introspect/catalogue-steps.ts";
import type { TablePlacement } from "../../introspect/database-schema.ts";

/** The tables of Citus, with the first table of each group of co-located ones. */
const TABLES = `select p.logicalrelid::oid::text as c0, p.partmethod::text as c1, p.repmodel::text as c2,
  case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey::text) end as c3,
  first_value(n.nspname::text) over w as c4, first_value(c.relname::text) over w as c5, (count(*) over w = 1)::text as c6
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid join pg_namespace n on n.oid = c.relnamespace
  window w as (partition by p.partmethod, p.colocationid order by n.nspname collate "C", c.relname collate "C"
    rows between unbounded preceding and current row)`;

/**
 * Reads how Citus stores its tables, by their oids.
 * @see https://docs.citusdata.com/en/stable/develop/api_metadata.html
 */
export function* readPlacements(): CatalogueSteps<ReadonlyMap<string, TablePlacement>> {
  const rows = yield { sql: TABLES, parameters: [], width: 7 };
  return new Map(
    rows.map(([oid, method, model, column, schema, name, isFirst]): readonly [string, TablePlacement] => {
      const found = textOrNull(column);
      if (found !== null) {
        const partner = textOf(isFirst) === "true" ? null : { schema: textOf(schema), name: textOf(name) };
        return [textOf(oid), { kind: "column", column: found, partner }];
      }
      const isReference = textOf(method) === "n" && textOf(model) === "t";
      return [textOf(oid), { kind: isReference ? "reference" : "unknown" }];
    }),
  );
}
