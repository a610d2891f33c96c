import type { UnexpectedNulls } from "../unexpected-nulls.ts";

/**
 * Returns the query that lists the columns of a table that are `not null`: none for a view.
 * @see https://www.postgresql.org/docs/current/catalog-pg-attribute.html
 */
export const listNotNull: UnexpectedNulls["listNotNull"] = (table) => ({
  sql: "select attname::text as c0 from pg_catalog.pg_attribute where attrelid = to_regclass($1) and attnotnull",
  parameters: [table],
  width: 1,
});
