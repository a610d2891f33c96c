import { sql } from "kysely";
import { attempt } from "../../../base/maybe.ts";
import { writeFlatKeyList } from "../../../cells/write-key-list.ts";
import type { SynchronousReader } from "../../../connection/synchronous-reader.ts";
import type { DialectSyntax, WriteSyntax, UnexpectedNulls } from "../../forms/dialect-profile.ts";
import type { Sql } from "../../statement/sql-form.ts";

/** A column of a foreign key, and the column that it refers to. */
interface ReferringColumn {
  readonly name: string;
  readonly referred: string;
}

/** A foreign key of a table. */
interface ForeignKey {
  readonly parent: string;
  readonly columns: readonly ReferringColumn[];
}

/**
 * Returns the columns of the only foreign key whose written cells refer to no row: errors of SQLite do not name it. Returns
 * nothing where that is uncertain, such as for a foreign key of which the statement writes a part.
 * @see https://sqlite.org/pragma.html#pragma_foreign_key_list
 */
const findMissingReference: NonNullable<WriteSyntax["findMissingReference"]> = (table, cells, reader) => {
  const [name, schema] = namesIn(table).toReversed();
  if (name === undefined) return [];
  const found = attempt(() => {
    const written = foreignKeys(name, schema, reader).filter(({ columns }) =>
      columns.some((each) => isIn(cells, each)),
    );
    if (written.some(({ columns }) => !columns.every((each) => isIn(cells, each)))) return [];
    return written.filter((each) => isMissing(each, schema, cells, reader));
  }, Error);
  const [only, ...others] = found instanceof Error ? [] : found;
  return only === undefined || others.length > 0 ? [] : only.columns.map((each) => each.name);
};

function isIn(cells: ReadonlyMap<string, unknown>, { name }: ReferringColumn): boolean {
  return cells.has(name.toLowerCase());
}

/** Returns whether no row has the cells of a foreign key, none of which is null. */
function isMissing(
  { parent, columns }: ForeignKey,
  schema: string | undefined,
  cells: ReadonlyMap<string, unknown>,
  reader: SynchronousReader,
): boolean {
  const values = columns.map(({ name }) => cells.get(name.toLowerCase()));
  if (values.some((value) => value === null || value === undefined)) return false;
  const place = schema === undefined ? quoteName(parent) : `${quoteName(schema)}.${quoteName(parent)}`;
  const conditions = columns.map(({ referred }) => `${quoteName(referred)} = ?`).join(" and ");
  return reader.readOne(`select 1 from ${place} where ${conditions} limit 1`, values) === undefined;
}

function foreignKeys(name: string, schema: string | undefined, reader: SynchronousReader): readonly ForeignKey[] {
  const at = schema === undefined ? "?" : "?, ?";
  const given = (table: string): readonly string[] => (schema === undefined ? [table] : [table, schema]);
  const rows = reader.readRows(
    `select id, "table", "from", "to" from pragma_foreign_key_list(${at}) order by id, seq`,
    given(name),
  );
  const ids = [...new Set(rows.map(([id]) => id))];
  return ids.map((id) => {
    const columns = rows.filter(([each]) => each === id);
    const parent = String(columns[0]?.[1]);
    // Without names, a foreign key refers to the primary key.
    const isNamed = columns.every(([, , , to]) => to !== null);
    const keys = isNamed
      ? []
      : reader.readRows(`select name from pragma_table_info(${at}) where pk > 0 order by pk`, given(parent));
    const toColumn = ([, , from, to]: readonly unknown[], index: number): ReferringColumn => ({
      name: String(from),
      referred: String(isNamed ? to : keys[index]?.[0]),
    });
    return { parent, columns: columns.map(toColumn) };
  });
}

const QUOTED = /"((?:[^"]|"")*)"/g;

/** Returns the names in the quoted name of a table: its schema, if it has one, and its own name. */
function namesIn(quoted: string): readonly string[] {
  return Array.from(quoted.matchAll(QUOTED), ([, name = ""]) => name.replaceAll('""', '"'));
}

/** Quotes a name. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns the query that lists the columns of a table that are `not null`: none for a view.
 * @see https://www.sqlite.org/pragma.html#pragma_table_xinfo
 */
const listNotNull: UnexpectedNulls["listNotNull"] = (table) => {
  const names = namesIn(table);
  const place = names.length === 1 ? "?" : "?, ?";
  const sql = `select lower(name) as c0 from pragma_table_xinfo(${place}) where "notnull" = 1`;
  return { sql, parameters: names.toReversed(), width: 1 };
};

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
  findMissingReference,
  defaultRow: sql`default values`,
  // A transaction locks the whole database.
  rowLock: sql``,
  currentRow: sql``,
  unlessThere: () => sql` on conflict do nothing`,
});
