import { sql } from "kysely";
import { writeFlatKeyList } from "../../cells/write-key-list.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectSyntax, WriteSyntax } from "../dialect-profile.ts";
import { listNotNull } from "./not-null-columns.ts";

/** The SQL of SQLite that all statements need. */
export const SQLITE_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  // By default, null is first ascending and last descending.
  hiddenColumns: ["rowid", "oid", "_rowid_"],
  // SQLite ignores the case of ASCII letters only.
  columnKey: (name) => name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  orderTerm: (term, descending) => (descending ? sql`${term} desc` : term),
  unexpectedNulls: { areLast: (descending) => descending, listNotNull },
  limit,
  isSame: (left, right) => sql`${left} is ${right}`,
  isDifferent: (left, right) => sql`${left} is not ${right}`,
  ifNull: (value, fallback) => sql`ifnull(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`iif(${condition}, ${whenTrue}, ${otherwise})`,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
  asCondition: (cell) => sql`${cell} = 1`,
  marksRows: false,
  once: (value, make) => sql`(select ${make(sql`odata_value`)} from (select ${value} as odata_value))`,
  // SQLite does not flatten a subquery without a table.
  computeOnce: (condition, values, alias) => sql`(select ${condition} from (select ${values}) as ${alias})`,
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      // A list of single values contains no arrays: see `writeFlatKeyList`.
      const cell = forms.length === 1 ? sql`value` : sql`json_extract(value, ${sql.lit(`$[${index}]`)})`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${index}`)}`;
    });
    return sql`(select ${sql.join([sql`key as ordinal`, ...cells])} from json_each(${list}))`;
  },
  valuePlaces: [/'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g],
  writeKeys: writeFlatKeyList,
});

/** Materializes the list of keys. Otherwise SQLite creates no index for tables that join it. */
export const SQLITE_SCANNING_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  ...SQLITE_SYNTAX,
  keyTable: (list, forms) => {
    const keys = SQLITE_SYNTAX.keyTable(list, forms);
    return sql`(with listed as materialized (select * from ${keys}) select * from listed)`;
  },
});

function limit(top: Sql | null, skip: Sql | null): Sql {
  // For a bare placeholder SQLite prepares the statement again in each execution, to plan for its value.
  if (top !== null) return skip === null ? sql` limit ${top} + 0` : sql` limit ${top} + 0 offset ${skip}`;
  // SQLite requires a limit before an offset. A negative limit means none.
  return skip === null ? sql`` : sql` limit -1 offset ${skip}`;
}

/** The SQL of SQLite that only writes need. */
export const SQLITE_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  returnsRows: true,
  defaultRow: sql`default values`,
  // A transaction locks the whole database.
  rowLock: sql``,
  currentRow: sql``,
  unlessThere: () => sql` on conflict do nothing`,
});
