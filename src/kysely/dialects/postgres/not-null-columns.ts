import type { UnexpectedNulls } from "../unexpected-nulls.ts";

/** The table, and those that inherit from it: its statements read their rows, too. */
const TABLES = `with recursive tables(oid) as (select to_regclass($1)::oid
  union select i.inhrelid from pg_catalog.pg_inherits i join tables t on i.inhparent = t.oid)`;

/** Since PostgreSQL 18 a constraint may not hold for old rows. */
const IS_VALID = `not exists (select from pg_catalog.pg_constraint u
  where u.conrelid = a.attrelid and u.contype = 'n' and u.conkey[1] = a.attnum and not u.convalidated)`;

/**
 * Returns the query that lists the columns of a table that are `not null`: none for a view. PostgreSQL does not enforce the
 * constraints of foreign tables, which may also be partitions.
 * @see https://www.postgresql.org/docs/current/catalog-pg-attribute.html
 */
export const listNotNull: UnexpectedNulls["listNotNull"] = (table) => ({
  sql: `${TABLES} select a.attname::text as c0 from tables t join pg_catalog.pg_class c on c.oid = t.oid
    join pg_catalog.pg_attribute a on a.attrelid = t.oid
    group by a.attname having bool_and(a.attnotnull and c.relkind in ('r', 'p') and ${IS_VALID})`,
  parameters: [table],
  width: 1,
});
