import { sql } from "kysely";
import type { ArraySyntax } from "../../columns/column-format.ts";
import type { Sql } from "../../statement/sql-form.ts";

/** The types of arrays whose items the database may round. */
const CASTS: Readonly<Record<string, Sql>> = {
  "Edm.Decimal": sql`::numeric[]`,
  "Edm.Double": sql`::float8[]`,
  "Edm.DateTimeOffset": sql`::timestamptz[]`,
  "Edm.TimeOfDay": sql`::time[]`,
};

/** How PostgreSQL stores collections in arrays of one dimension. */
export const PG_ARRAYS: ArraySyntax = Object.freeze<ArraySyntax>({
  items: (column, alias) => sql`unnest(${column}) as ${sql.id(alias)}(value)`,
  item: (alias) => sql`${sql.id(alias, "value")}`,
  length: (column) => sql`cardinality(${column})::int8`,
  toSelected: (column, toSelected) => {
    const items = sql`unnest(${column}) with ordinality as odata_items(value, ordinal)`;
    const texts = sql`array(select ${toSelected(sql`odata_items.value`)} from ${items} order by odata_items.ordinal)`;
    // `unnest` flattens arrays of several dimensions. Returned unchanged, they are rejected by the reader.
    const several = sql`when array_ndims(${column}) > 1 then to_jsonb(${column})::text`;
    return sql`(case when ${column} is null then null ${several} else to_jsonb(${texts})::text end)`;
  },
  write: (cells, { type }) => {
    const prefix = type.name === "Edm.Binary" ? "\\x" : "";
    const items = cells.map((cell) => (cell === null ? "NULL" : quote(`${prefix}${String(cell)}`)));
    return `{${items.join(",")}}`;
  },
  place: (cell, { type }) => sql`${cell}${CASTS[type.name] ?? sql``}`,
  // Arrays are comparable only if their element types match.
  compared: (column, { type }) => sql`${column}${CASTS[type.name] ?? sql``}`,
});

/** Quotes an item of an array literal, so that commas, braces and NULL have no special meaning. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
