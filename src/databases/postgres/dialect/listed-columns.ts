import type { DialectSyntax, UnexpectedNulls } from "../../forms/dialect-syntax.ts";

/** Finds the table and the tables that inherit from it: its statements read their rows, too. */
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

/**
 * Returns the query that lists the columns whose equal cells are the same value. A nondeterministic collation, and types such as
 * `citext`, compare different texts as equal; intervals of a year and of 360 days are equal. Texts of a `bpchar` without a length
 * may differ in blanks at their end. Equal cells of `numeric` and floating-point types are the same number, but may have different texts.
 * @see https://www.postgresql.org/docs/current/catalog-pg-collation.html
 */
export const listExact: NonNullable<DialectSyntax["listExact"]> = (table) => ({
  sql: `select a.attname::text as c0, case when t.oid in ('numeric'::regtype, 'float4'::regtype, 'float8'::regtype)
      then 'number' end as c1 from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_collation o on o.oid = a.attcollation
    where a.attrelid = to_regclass($1) and coalesce(o.collisdeterministic, true) and (t.typtype = 'e' or t.oid in (
      'bool'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'float4'::regtype, 'float8'::regtype,
      'date'::regtype, 'time'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype, 'uuid'::regtype, 'bytea'::regtype,
      'text'::regtype, 'varchar'::regtype, 'name'::regtype) or t.oid = 'bpchar'::regtype and a.atttypmod > 0)`,
  parameters: [table],
  width: 2,
});
