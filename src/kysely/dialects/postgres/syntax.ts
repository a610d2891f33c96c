import { sql } from "kysely";
import { writeKeyList } from "../../../cells/write-key-list.ts";
import type { StreamingSyntax } from "../../../connection/synchronous-reader.ts";
import type { FunctionName } from "../../../query/functions.ts";
import { castFunctions } from "../../forms/cast-functions.ts";
import type { DialectSyntax, WriteSyntax, UnexpectedNulls, TranslateCall } from "../../forms/dialect-profile.ts";
import { argumentAt, WHITE_SPACE } from "../../forms/translate-call.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import { computed } from "../../statement/sql-operand.ts";
import { IN_SUBQUERY, REPEATED, PG_FORMS, PG_NUMBERS, type Once } from "./forms.ts";

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
const listNotNull: UnexpectedNulls["listNotNull"] = (table) => ({
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
const listLabels: NonNullable<DialectSyntax["listLabels"]> = (table) => ({
  sql:
    "select a.attname::text as c0, case when t.typtype = 'e' then e.enumlabel::text end as c1 from pg_catalog.pg_attribute as a " +
    "inner join pg_catalog.pg_type as t on t.oid = a.atttypid " +
    "inner join pg_catalog.pg_enum as e on e.enumtypid = (case when t.typtype = 'd' then t.typbasetype else t.oid end) " +
    "where a.attrelid = to_regclass($1)",
  parameters: [table],
  width: 2,
});

/** The SQL for distributed databases, without subqueries that have no tables. */
export const PG_SPREAD_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  // By default, null is last ascending. Terms that are never null omit this, so that a plain index serves them.
  hiddenColumns: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"],
  columnKey: (name) => name,
  orderTerm: (term, descending, nullable) => {
    if (!nullable) return descending ? sql`${term} desc` : term;
    return descending ? sql`${term} desc nulls last` : sql`${term} asc nulls first`;
  },
  listLabels,
  readFirst: sql` offset 0`,
  // PostgreSQL computes it in advance for a constant that is not null.
  unfolded: (constant, cells) => sql`coalesce(${constant}, nullif(${cells}, ${cells}))`,
  // With a test for NULL next to the bound of an index, PostgreSQL reads the index from its start.
  unexpectedNulls: { areLast: (descending) => !descending, listNotNull },
  limit: (top, skip) => {
    const most = top === null ? sql`` : sql` limit ${top}`;
    return skip === null ? most : sql`${most} offset ${skip}`;
  },
  // No index serves `is not distinct from`.
  isSame: (left, right) => sql`(${left} is not distinct from ${right})`,
  isDifferent: (left, right) => sql`(${left} is distinct from ${right})`,
  ifNull: (value, fallback) => sql`coalesce(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`(case when ${condition} then ${whenTrue} else ${otherwise} end)`,
  booleanValue: (value) => (value ? sql`true` : sql`false`),
  asCondition: (cell) => cell,
  marksRows: true,
  once: REPEATED.value,
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      const cell = sql`(value ->> ${sql.lit(index)})`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${String(index)}`)}`;
    });
    const ordinal = sql`(ordinality - 1)::int as ordinal`;
    const rows = sql`jsonb_array_elements(${list}::jsonb) with ordinality as odata_keys(value, ordinality)`;
    return sql`(select ${sql.join([ordinal, ...cells])} from ${rows})`;
  },
  valuePlaces: [
    /\b[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|\$(\d+)/g,
    // `?` is an operator. It is the place of a value only if a statement has values but no `$1`.
    /\b[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g,
  ],
  writeKeys: writeKeyList,
  keyArrays: {
    write: writeArray,
    contains: (array, value) => sql`${value} = any(${array})`,
    positionOf: (array, value) => sql`array_position(${array}, ${value}) - 1`,
  },
});

/** The SQL of PostgreSQL that all statements need. */
export const PG_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  ...PG_SPREAD_SYNTAX,
  once: IN_SUBQUERY.value,
  // Without the offset, PostgreSQL would write the values in place of their names.
  computeOnce: (condition, values, alias) => sql`(select ${condition} from (select ${values} offset 0) as ${alias})`,
});

/** The SQL of PostgreSQL that only writes need. */
export const PG_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  returnsRows: true,
  defaultRow: sql`default values`,
  rowLock: sql` for update`,
  currentRow: sql``,
  unlessThere: () => sql` on conflict do nothing`,
});

/**
 * Writes an array literal of texts, numbers and booleans. Items are quoted, so that commas, braces and NULL have no special
 * meaning.
 */
export function writeArray(items: readonly unknown[]): string {
  return `{${items.map(writeItem).join(",")}}`;
}

function writeItem(item: unknown): string {
  if (item === null) return "NULL";
  const text = typeof item === "string" ? item : JSON.stringify(item);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The SQL of canonical functions in PostgreSQL. */
export const PG_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = pgFunctions(IN_SUBQUERY);

/** The same for distributed databases. */
export const PG_SPREAD_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = pgFunctions(REPEATED);

function pgFunctions({ value: once }: Once): Readonly<Record<FunctionName, TranslateCall>> {
  return {
    ...castFunctions({
      forms: PG_FORMS,
      numbers: PG_NUMBERS,
      once,
      position: (text, part) => sql`strpos(${text}, ${part})`,
      asCount: (count) => sql`${count}::int8`,
      byCodePoint: (text) => sql`(${text} collate "C")`,
      substringOf: (text, places) => sql`(substr(${text}, ${places}) collate "C")`,
      lower: (text) => sql`lower(${text} collate "und-x-icu")`,
      upper: (text) => sql`upper(${text} collate "und-x-icu")`,
      trim: (text) => sql`btrim(${text}, ${bindFixed(WHITE_SPACE)}::text)`,
      concat: (texts) => {
        const joined = texts.map(({ sql: text }) => text);
        if (joined.length === 2) return sql`(${sql.join(joined, sql` || `)})`;
        // `array_to_string` ignores null, but the result must be null.
        return once(
          sql`array[${sql.join(joined)}]`,
          (name) => sql`case when array_position(${name}, null) is null then array_to_string(${name}, '') end`,
        );
      },
      boundCount: (place) => sql`${place}::int`,
      // `least` and `greatest` ignore null, but the result must be null.
      clamped: (given, limit) =>
        once(given, (name) => sql`(case when ${name} is not null then least(greatest(${name}, 0), ${limit})::int end)`),
      // Infinities stay unchanged.
      roundDouble: (value) =>
        once(
          value,
          (name) => sql`trunc(${name}) + case when abs(${name} - trunc(${name})) >= 0.5 then sign(${name}) else 0 end`,
        ),
      ceiling: sql`ceil`,
    }),
    // An index with the collation "C" serves it.
    startswith: (call) =>
      computed({ sql: sql`starts_with(${argumentAt(call, 0)}, ${argumentAt(call, 1)})`, form: PG_FORMS.boolean }),
  };
}

/** PostgreSQL in this process has one connection, which a transaction would keep from all other requests. */
const EMBEDDED = /pglite/i;

/**
 * A cursor in a transaction: PostgreSQL reads rows when they are fetched, and keeps them in any order. Its time limit applies
 * to each fetch.
 * @see https://www.postgresql.org/docs/current/sql-declare.html
 */
export const PG_STREAMING: StreamingSyntax = Object.freeze<StreamingSyntax>({
  hasConnections: (adapter) => !EMBEDDED.test(adapter.constructor.name),
  begin: (timeout) => (timeout === null ? [] : [`set local statement_timeout = ${String(timeout)}`]),
  cursor: Object.freeze({
    declare: (statement: string) => `declare odatakit_page no scroll cursor for ${statement}`,
    fetch: (rows: number) => `fetch ${String(rows)} from odatakit_page`,
  }),
});
