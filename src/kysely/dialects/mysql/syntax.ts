import { sql } from "kysely";
import { writeKeyList } from "../../cells/write-key-list.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectSyntax } from "../dialect-profile.ts";
import type { WriteSyntax } from "../write-syntax.ts";

/** More rows than any table has, because an offset requires a limit. */
const ALL_ROWS = sql`18446744073709551615`;

/** The SQL of MariaDB and MySQL that all statements need. */
export const MY_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  // By default, null is first ascending and last descending.
  hiddenColumns: [],
  columnKey: (name) => name.toLowerCase(),
  orderTerm: (term, descending) => (descending ? sql`${term} desc` : term),
  // The database removes a test for NULL from a column that is `not null`.
  unexpectedNulls: { areLast: (descending) => descending, listNotNull: null },
  limit: (top, skip) => {
    if (top === null && skip === null) return sql``;
    return skip === null ? sql` limit ${top}` : sql` limit ${top ?? ALL_ROWS} offset ${skip}`;
  },
  isSame: (left, right) => sql`(${left} <=> ${right})`,
  isDifferent: (left, right) => sql`(not (${left} <=> ${right}))`,
  ifNull: (value, fallback) => sql`ifnull(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`(case when ${condition} then ${whenTrue} else ${otherwise} end)`,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
  asCondition: (cell) => sql`${cell} = 1`,
  // A query among its columns would prevent merging a derived table.
  marksRows: false,
  once: (value, make) => namedOnce([value], "decimal(65, 30)", make),
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      const cell = sql`odata_keys.${sql.id(`v${String(index)}`)}`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${String(index)}`)}`;
    });
    const values = forms.map(
      (_form, index) => sql`${sql.id(`v${String(index)}`)} longtext path ${sql.lit(`$[${String(index)}]`)}`,
    );
    const columns = sql.join([sql`odata_ordinal for ordinality`, ...values]);
    const rows = sql`json_table(${list}, '$[*]' columns(${columns})) as odata_keys`;
    return sql`(select ${sql.join([sql`odata_keys.odata_ordinal - 1 as ordinal`, ...cells])} from ${rows})`;
  },
  valuePlaces: [/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--\s[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g],
  writeKeys: writeKeyList,
  // For this statement only. In UTC no hour occurs twice, so an index on a `timestamp` column serves comparisons.
  inUtcSession: (statement) => withSetting("time_zone='+00:00'", statement),
  sortingLong: sortLong,
  within: limitTime,
});

const SET_STATEMENT = "set statement ";

/** Adds a setting that applies to a statement alone. */
function withSetting(setting: string, statement: string): string {
  return statement.startsWith(SET_STATEMENT)
    ? `${SET_STATEMENT}${setting}, ${statement.slice(SET_STATEMENT.length)}`
    : `${SET_STATEMENT}${setting} for ${statement}`;
}

/** MySQL reads a comment. */
function limitTime(timeout: number, statement: string): string {
  const limit = `max_statement_time=${String(timeout / 1000)}`;
  return statement.startsWith(SET_STATEMENT)
    ? withSetting(limit, statement)
    : `/*M!100101 ${SET_STATEMENT}${limit} for */ ${statement}`;
}

/** The bytes of a term that a sort compares: a value of `SORTED_BYTES` and its length. */
const SORT_LENGTH = 65_544;
/** A sort needs memory for 15 rows. */
const SORT_MEMORY = 16 * SORT_LENGTH;

/**
 * By default, a sort compares 1024 bytes of a value. Columns take as many bytes as they can have, so short ones cost no more.
 * @see https://mariadb.com/kb/en/server-system-variables/#max_sort_length
 */
function sortLong(terms: number, statement: string): string {
  const memory = `sort_buffer_size=greatest(@@sort_buffer_size, ${String((terms + 1) * SORT_MEMORY)})`;
  return withSetting(`max_sort_length=${String(SORT_LENGTH)}, ${memory}`, statement);
}

/**
 * Selects values that are needed several times but written once. A derived table cannot refer to the outer row, but
 * `json_table` can.
 */
function namedOnce(values: readonly Sql[], type: string, make: (...names: readonly Sql[]) => Sql): Sql {
  const names = values.map((_value, index) => sql`odata_once.${sql.id(`v${String(index)}`)}`);
  const columns = values.map(
    (_value, index) => sql`${sql.id(`v${String(index)}`)} ${sql.raw(type)} path ${sql.lit(`$[${String(index)}]`)}`,
  );
  const table = sql`json_table(json_array(${sql.join(values)}), '$' columns(${sql.join(columns)}))`;
  return sql`(select ${make(...names)} from ${table} as odata_once)`;
}

/** Selects doubles that are needed several times but written once. */
export function doublesOnce(values: readonly Sql[], make: (...names: readonly Sql[]) => Sql): Sql {
  return namedOnce(values, "double", make);
}

/** The SQL of MariaDB that only writes need. */
export const MY_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  returnsRows: false,
  defaultRow: sql`() values ()`,
  rowLock: sql` for update`,
  // The row is already locked.
  currentRow: sql` for update`,
  // Setting a column to itself does nothing.
  unlessThere: (column) => sql` on duplicate key update ${column} = ${column}`,
});
