import type { DialectSyntax } from "../dialect-profile.ts";

/**
 * Returns the query that lists the columns of a table or view with an enumeration type, each with one of its labels. Nothing
 * that statements bind is a label of a column with a domain over such a type: the database compares it as text only.
 * @see https://www.postgresql.org/docs/current/catalog-pg-enum.html
 */
export const listLabels: NonNullable<DialectSyntax["listLabels"]> = (table) => ({
  sql:
    "select a.attname::text as c0, case when t.typtype = 'e' then e.enumlabel::text end as c1 from pg_catalog.pg_attribute as a " +
    "inner join pg_catalog.pg_type as t on t.oid = a.atttypid " +
    "inner join pg_catalog.pg_enum as e on e.enumtypid = (case when t.typtype = 'd' then t.typbasetype else t.oid end) " +
    "where a.attrelid = to_regclass($1)",
  parameters: [table],
  width: 2,
});
