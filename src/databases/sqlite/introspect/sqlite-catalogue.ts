import { isYes, textOf, textOrNull, type CatalogueRow, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import {
  collectTables,
  groupBy,
  tableKey,
  type FindTable,
  type ListedColumn,
  type ListedIndexColumn,
} from "../../introspect/collect-tables.ts";
import type { CheckedSchema, WantedTable } from "../../introspect/schema.ts";
import { SQLITE_TRIGGERS, withTriggers } from "../../introspect/triggered-tables.ts";

/** SQLite limits the length of a statement and the number of its columns. */
const DEFAULTS_PER_STATEMENT = 100;
/** The schemas in which SQLite looks for an unqualified table. */
const SEARCHED = ["temp", "main"];

/** `hidden` is 1 in virtual tables, 2 and 3 in generated columns. @see https://sqlite.org/pragma.html#pragma_table_xinfo */
export const SQLITE_COLUMNS: string = `select l.schema as c0, l.name as c1, l.type as c2, x.name as c3, x.type as c4, x."notnull" as c5,
  x.dflt_value as c6, x.pk as c7, x.hidden as c8, l.wr as c9, l.strict as c10
  from pragma_table_list l join pragma_table_xinfo(l.name, l.schema) x`;
/** The columns of the keys of all indexes need the condition `x.key = 1`. */
export const SQLITE_INDEXES: string = `select l.schema as c0, l.name as c1, i.name as c2, i."unique" as c3, i.partial as c4, x.name as c5,
  x."desc" as c6, x.coll as c7, i.origin as c8
  from pragma_table_list l join pragma_index_list(l.name, l.schema) i join pragma_index_xinfo(i.name, l.schema) x`;
const NAMES = `select name as c0 from pragma_table_list where type in ('table', 'view', 'virtual') and name not like 'sqlite%'`;

/** Reads the catalogue of SQLite. @see https://sqlite.org/pragma.html#pragma_table_list */
export function* readSqliteCatalogue(wanted: readonly WantedTable[]): CatalogueSteps<CheckedSchema> {
  const parameters = [...new Set(wanted.flatMap(({ names }) => names.slice(-1).map(toLower)))];
  const where = `where lower(l.name) in (${parameters.map(() => "?").join(", ")})`;
  const columns = yield { sql: `${SQLITE_COLUMNS} ${where} order by x.cid`, parameters, width: 11 };
  const indexes = yield {
    sql: `${SQLITE_INDEXES} ${where} and x.key = 1 order by i.seq, x.seqno`,
    parameters,
    width: 9,
  };
  const owners = [...groupBy(columns, ofTable).values()];
  const rowids = owners.flatMap(toHiddenRowids);
  const keyed = new Set(indexes.filter(([, , , , , , , , origin]) => textOf(origin) === "pk").map(ofTable));
  const identities = new Set(owners.map((own) => rowidColumn(own, keyed)));
  const cells = yield* withDefaultCells(columns);
  const own = cells.map((each, at): ListedColumn => {
    const isRowid = identities.has(columns[at]) ? (true as const) : undefined;
    return { ...each, column: { ...each.column, isRowid } };
  });
  const listed = [...own, ...rowids];
  const keys = [...indexes.map(toSqliteIndexColumn), ...owners.flatMap(toRowid), ...rowids.map(toRowidKey)];
  const tables = yield* withTriggers(wanted, collectTables(wanted, listed, keys, find), SQLITE_TRIGGERS);
  const isComplete = wanted.every(({ text }) => tables.has(text));
  const names = isComplete ? [] : yield { sql: NAMES, parameters: [], width: 1 };
  return { tables, ignoresCase: true, isUtcSession: true, tableNames: names.map(([name]) => textOf(name)) };
}

const find: FindTable = ({ names }, tables) => {
  const [table = "", schema] = names.toReversed().map(toLower);
  const named = (tables.get(table.toLowerCase()) ?? []).filter((each) => toLower(each.table) === table);
  if (schema !== undefined) return named.find((each) => toLower(each.schema) === schema);
  for (const searched of SEARCHED) {
    const found = named.find((each) => each.schema === searched);
    if (found !== undefined) return found;
  }
  return named[0];
};

/** Returns a name in the one letter case by which SQLite compares names: it ignores the case of ASCII letters only. */
export function toLower(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns rows of `SQLITE_COLUMNS` as columns with the values of their defaults. */
export function* withDefaultCells(rows: readonly CatalogueRow[]): CatalogueSteps<readonly ListedColumn[]> {
  const expressions = [...new Set(rows.flatMap((row) => textOrNull(row[6]) ?? []))];
  const cells = new Map<string | null, unknown>();
  for (let start = 0; start < expressions.length; start += DEFAULTS_PER_STATEMENT) {
    const some = expressions.slice(start, start + DEFAULTS_PER_STATEMENT);
    for (const [at, cell] of (yield* evaluate(some)).entries()) cells.set(some[at] ?? null, cell);
  }
  return rows.map((row) => {
    const { column, ...place } = toColumn(row);
    return { ...place, column: { ...column, defaultCell: cells.get(column.defaultValue) ?? null } };
  });
}

/** Evaluates defaults, because the text of an expression does not show its value. */
function* evaluate(expressions: readonly string[]): CatalogueSteps<readonly unknown[]> {
  const items = expressions.map((expression, at) => `(${expression}) as c${String(at)}`);
  try {
    const [row = []] = yield { sql: `select ${items.join(", ")}`, parameters: [], width: items.length };
    return row;
  } catch {
    // One expression may call a function of another program.
    if (expressions.length === 1) return [null];
  }
  const cells: unknown[] = [];
  for (const expression of expressions) cells.push(...(yield* evaluate([expression])));
  return cells;
}

function toColumn(row: CatalogueRow): ListedColumn {
  const [schema, table, kind, name, type, isNotNull, defaultValue, key, hidden, , isStrict] = row;
  const definition = textOf(type);
  return {
    schema: textOf(schema),
    table: textOf(table),
    // The module of a virtual table decides on its columns, whatever their declarations.
    kind: textOf(kind) === "table" ? "table" : "view",
    column: {
      name: textOf(name),
      isHidden: false,
      type: isYes(isStrict) && definition.toUpperCase() === "ANY" ? "" : affinityOf(definition),
      definition,
      // SQLite allows NULL in keys of tables with rowids, by a bug that it keeps for compatibility. Ignore that.
      nullable: !isYes(isNotNull) && textOf(key) === "0",
      isGenerated: ["2", "3"].includes(textOf(hidden)),
      defaultValue: textOrNull(defaultValue),
      defaultCell: null,
      collation: null,
      labels: null,
    },
  };
}

/** The names of the rowid, unless a column has the name. @see https://sqlite.org/lang_createtable.html#rowid */
export const ROWIDS: readonly string[] = ["rowid", "oid", "_rowid_"];

/** Returns the key of the table of a row that begins with schema and name. */
export function ofTable([schema, table]: CatalogueRow): string {
  return tableKey({ schema: textOf(schema), table: textOf(table) });
}

/** Returns the rowid of a table, under all its names. @param own the rows of its columns */
function toHiddenRowids(own: readonly CatalogueRow[]): readonly ListedColumn[] {
  const [first] = own;
  if (first === undefined || !["table", "virtual"].includes(textOf(first[2])) || isYes(first[9])) return [];
  const { column, ...place } = toColumn(first);
  const type = { type: "INTEGER", definition: "INTEGER", nullable: false, isGenerated: false, defaultValue: null };
  const taken = new Set(own.map((other) => toLower(textOf(other[3]))));
  return ROWIDS.filter((name) => !taken.has(name)).map((name) => ({
    ...place,
    column: { ...column, ...type, name, isHidden: true, isRowid: true },
  }));
}

function toRowidKey({ schema, table, column: { name } }: ListedColumn): ListedIndexColumn {
  const column = { name, collation: null, nullsFirst: true };
  return { schema, table, index: `${name} `, isUnique: true, isPartial: false, column };
}

/** Returns the affinity of a declared type; empty for none. @see https://sqlite.org/datatype3.html#determination_of_column_affinity */
function affinityOf(declared: string): string {
  const type = declared.toUpperCase();
  if (type === "") return "";
  if (type.includes("INT")) return "INTEGER";
  if (/CHAR|CLOB|TEXT/.test(type)) return "TEXT";
  if (type.includes("BLOB")) return "BLOB";
  return /REAL|FLOA|DOUB/.test(type) ? "REAL" : "NUMERIC";
}

/** Returns a row of `SQLITE_INDEXES` as a column of an index. */
export function toSqliteIndexColumn([
  schema,
  table,
  index,
  isUnique,
  isPartial,
  name,
  isDescending,
  collation,
]: CatalogueRow): ListedIndexColumn {
  const column = textOrNull(name);
  return {
    schema: textOf(schema),
    table: textOf(table),
    index: textOf(index),
    isUnique: isYes(isUnique),
    isPartial: isYes(isPartial),
    column:
      column === null ? null : { name: column, collation: textOrNull(collation), nullsFirst: !isYes(isDescending) },
  };
}

/**
 * Returns the row of the column that is the rowid; undefined without one.
 * @param own the rows of the columns of a table
 * @param keyed the tables whose primary key has an index: then it is not the rowid, as in `integer primary key desc`
 */
function rowidColumn(own: readonly CatalogueRow[], keyed: ReadonlySet<string>): CatalogueRow | undefined {
  const [key, ...more] = own.filter((row) => Number(row[7]) > 0);
  if (key === undefined || more.length > 0 || keyed.has(ofTable(key))) return undefined;
  const isTable = textOf(key[2]) === "table" && !isYes(key[9]);
  return isTable && textOf(key[4]).toUpperCase() === "INTEGER" ? key : undefined;
}

/** Returns an `integer primary key`, which is the rowid, as a unique index. @param own the rows of the columns of a table */
function toRowid(own: readonly CatalogueRow[]): readonly ListedIndexColumn[] {
  const [key, ...more] = own.filter((row) => Number(row[7]) > 0);
  if (key === undefined || more.length > 0) return [];
  const [schema, table, , name, type] = key;
  if (textOf(type).toUpperCase() !== "INTEGER") return [];
  const column = { name: textOf(name), collation: null, nullsFirst: true };
  const rowid = { schema: textOf(schema), table: textOf(table), index: "", isUnique: true, isPartial: false };
  return [{ ...rowid, column }];
}
