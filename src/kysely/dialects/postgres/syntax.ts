import { sql } from "kysely";
import { writeKeyList } from "../../cells/write-key-list.ts";
import type { DialectSyntax } from "../dialect-profile.ts";
import type { WriteSyntax } from "../write-syntax.ts";
import { listLabels } from "./labelled-columns.ts";
import { listNotNull } from "./not-null-columns.ts";
import { IN_SUBQUERY, REPEATED } from "./once.ts";
import { writeArray } from "./write-array.ts";

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
  // A test for NULL beside the bound of an index makes PostgreSQL read the index from its start.
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
