import { isYes, textOf, textOrNull, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import { collectTables, type ListedColumn, type ListedIndexColumn } from "./collect-tables.ts";
import type { DatabaseSchema, WantedTable } from "./schema.ts";

/** Where SQLite looks for a table without a schema. */
const SEARCHED = ["temp", "main"];

/** @see https://sqlite.org/pragma.html#pragma_table_xinfo; `hidden` is 1 in virtual tables, 2 and 3 when generated */
const COLUMNS = `select l.schema as c0, l.name as c1, l.type as c2, x.name as c3, x.type as c4, x."notnull" as c5,
  x.dflt_value as c6, x.pk as c7, x.hidden as c8, l.wr as c9
  from pragma_table_list l join pragma_table_xinfo(l.name, l.schema) x`;
const INDEXES = `select l.schema as c0, l.name as c1, i.name as c2, i."unique" as c3, i.partial as c4, x.name as c5,
  x."desc" as c6, x.coll as c7
  from pragma_table_list l join pragma_index_list(l.name, l.schema) i join pragma_index_xinfo(i.name, l.schema) x`;
const NAMES = `select name as c0 from pragma_table_list where type in ('table', 'view', 'virtual') and name not like 'sqlite%'`;

/** Reads the catalogue of SQLite. @see https://sqlite.org/pragma.html#pragma_table_list */
export function* readSqliteCatalogue(wanted: readonly WantedTable[]): CatalogueSteps<DatabaseSchema> {
  const parameters = [...new Set(wanted.map(({ names }) => (names.at(-1) ?? "").toLowerCase()))];
  const where = `where lower(l.name) in (${parameters.map(() => "?").join(", ")})`;
  const columns = yield { sql: `${COLUMNS} ${where} order by x.cid`, parameters, width: 10 };
  const indexes = yield { sql: `${INDEXES} ${where} and x.key = 1 order by i.seq, x.seqno`, parameters, width: 8 };
  const listed = [...columns.map(toColumn), ...columns.flatMap(toHiddenRowid)];
  const tables = collectTables(wanted, listed, [...indexes.map(toIndexColumn), ...columns.flatMap(toRowid)], find);
  const isComplete = wanted.every(({ text }) => tables.has(text));
  const names = isComplete ? [] : yield { sql: NAMES, parameters: [], width: 1 };
  return { tables, ignoresCase: true, tableNames: names.map(([name]) => textOf(name)) };
}

function find({ names }: WantedTable, listed: readonly ListedColumn[]): ListedColumn | undefined {
  const [table = "", schema] = names.toReversed().map((name) => name.toLowerCase());
  const named = listed.filter((each) => each.table.toLowerCase() === table);
  if (schema !== undefined) return named.find((each) => each.schema.toLowerCase() === schema);
  for (const searched of SEARCHED) {
    const found = named.find((each) => each.schema === searched);
    if (found !== undefined) return found;
  }
  return named[0];
}

function toColumn([schema, table, kind, name, type, isNotNull, defaultValue, key, hidden]: CatalogueRow): ListedColumn {
  const definition = textOf(type);
  return {
    schema: textOf(schema),
    table: textOf(table),
    kind: textOf(kind) === "view" ? "view" : "table",
    column: {
      name: textOf(name),
      isHidden: false,
      type: affinityOf(definition),
      definition,
      // The key of a table with rowids may hold NULL by a flaw that SQLite keeps for old applications: nobody means it.
      nullable: !isYes(isNotNull) && textOf(key) === "0",
      isGenerated: ["2", "3"].includes(textOf(hidden)),
      defaultValue: textOrNull(defaultValue),
      collation: null,
      labels: null,
    },
  };
}

/** A table with rowids has one column more than it lists. */
function toHiddenRowid(row: CatalogueRow, index: number, rows: readonly CatalogueRow[]): readonly ListedColumn[] {
  const [schema, table, kind] = row;
  const isFirst = rows.findIndex((other) => other[0] === schema && other[1] === table) === index;
  if (!isFirst || textOf(kind) !== "table" || isYes(row[9])) return [];
  const { column, ...place } = toColumn(row);
  const type = { type: "INTEGER", definition: "INTEGER", nullable: false, isGenerated: false, defaultValue: null };
  return [{ ...place, column: { ...column, ...type, name: "rowid", isHidden: true } }];
}

/** The affinity of a declared type; empty for none. @see https://sqlite.org/datatype3.html#determination_of_column_affinity */
function affinityOf(declared: string): string {
  const type = declared.toUpperCase();
  if (type === "" || type === "ANY") return "";
  if (type.includes("INT")) return "INTEGER";
  if (/CHAR|CLOB|TEXT/.test(type)) return "TEXT";
  if (type.includes("BLOB")) return "BLOB";
  return /REAL|FLOA|DOUB/.test(type) ? "REAL" : "NUMERIC";
}

function toIndexColumn([
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

/** An `integer primary key` is the rowid: a unique key without an index. */
function toRowid([schema, table, , name, type, , , key]: CatalogueRow): readonly ListedIndexColumn[] {
  if (textOf(key) !== "1" || textOf(type).toUpperCase() !== "INTEGER") return [];
  const column = { name: textOf(name), collation: null, nullsFirst: true };
  const rowid = { schema: textOf(schema), table: textOf(table), index: "", isUnique: true, isPartial: false };
  return [{ ...rowid, column }];
}
