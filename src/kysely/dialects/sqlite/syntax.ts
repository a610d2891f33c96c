import { sql } from "kysely";
import { writeFlatKeyList } from "../../cells/write-key-list.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectSyntax, WriteSyntax } from "../dialect-profile.ts";

/** How SQLite writes what every statement needs. */
export const SQLITE_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  // Null comes first ascending there, and last descending.
  orderTerm: (term, descending) => (descending ? sql`${term} desc` : term),
  limit,
  isSame: (left, right) => sql`${left} is ${right}`,
  isDifferent: (left, right) => sql`${left} is not ${right}`,
  ifNull: (value, fallback) => sql`ifnull(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`iif(${condition}, ${whenTrue}, ${otherwise})`,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
  asCondition: (cell) => sql`${cell} = 1`,
  marksRows: false,
  derivesFromRows: true,
  once: (value, make) => sql`(select ${make(sql`odata_value`)} from (select ${value} as odata_value))`,
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      // Of one value the list holds no arrays: see `writeFlatKeyList`.
      const cell = forms.length === 1 ? sql`value` : sql`json_extract(value, ${sql.lit(`$[${index}]`)})`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${index}`)}`;
    });
    return sql`(select ${sql.join([sql`key as ordinal`, ...cells])} from json_each(${list}))`;
  },
  valuePlaces: [/'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g],
  writeKeys: writeFlatKeyList,
});

/** As ever, but for the list of keys: only where it is a table of its own does SQLite make an index on what it is joined to. */
export const SQLITE_SCANNING_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  ...SQLITE_SYNTAX,
  keyTable: (list, forms) => {
    const keys = SQLITE_SYNTAX.keyTable(list, forms);
    return sql`(with listed as materialized (select * from ${keys}) select * from listed)`;
  },
});

function limit(top: Sql | null, skip: Sql | null): Sql {
  if (top !== null) return skip === null ? sql` limit ${top}` : sql` limit ${top} offset ${skip}`;
  // SQLite knows no offset without a limit; a negative one is none.
  return skip === null ? sql`` : sql` limit -1 offset ${skip}`;
}

/** How SQLite writes what only statements that write need. */
export const SQLITE_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  returnsRows: true,
  defaultRow: sql`default values`,
  // A transaction has the whole database to itself.
  rowLock: sql``,
  currentRow: sql``,
  unlessThere: () => sql` on conflict do nothing`,
});
