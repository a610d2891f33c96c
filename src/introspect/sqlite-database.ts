import { textOf, textOrNull, type CatalogueQuery, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import { collectIndexes, groupBy, tableKey, type ListedColumn } from "./collect-tables.ts";
import type { DatabaseSchema, ObjectColumn, ObjectName, SchemaObject, SchemaSelection } from "./database-schema.ts";
import { ofTable, SQLITE_COLUMNS, SQLITE_INDEXES, toSqliteIndexColumn, withDefaultCells } from "./sqlite-catalogue.ts";
import { withKeyClasses } from "./sqlite-key-classes.ts";
import {
  anyCaseKey,
  omissionOf,
  SQLITE_FOREIGN_KEYS,
  SQLITE_OBJECTS,
  toForeignKeys,
  toRowidIndex,
  toSqliteColumns,
  toSqliteObject,
  type SqliteColumns,
  type SqliteObject,
} from "./sqlite-objects.ts";
import { quoteSqlite, sampleSqliteTable, type RowOrder } from "./sqlite-sample.ts";

/**
 * Reads all tables and views of SQLite, and a sample of the rows of those that are not `STRICT`.
 * @see https://sqlite.org/pragma.html#pragma_table_list
 */
export function* readSqliteDatabase({ schemas }: SchemaSelection = {}): CatalogueSteps<DatabaseSchema> {
  const wanted = schemas ?? ["main"];
  const [version = []] = yield { sql: "select sqlite_version() as c0", parameters: [], width: 1 };
  const listed = (yield { sql: SQLITE_OBJECTS, parameters: [], width: 5 }).map(toSqliteObject);
  const objects = listed.filter(({ schema }) => wanted.includes(schema)).toSorted(byName);
  const { rows, failures } = yield* readColumns(objects);
  const columns = groupBy(yield* withDefaultCells(rows), tableKey);
  const parts: Parts = {
    modules: yield* readModules(objects),
    failures,
    rows: groupBy(rows, ofTable),
    columns,
    indexes: groupBy(
      yield { sql: `${SQLITE_INDEXES} where x.key = 1 order by i.seq, x.seqno`, parameters: [], width: 9 },
      ofTable,
    ),
    foreignKeys: groupBy(yield { sql: SQLITE_FOREIGN_KEYS, parameters: [], width: 6 }, ofTable),
  };
  const tables = objects.map((object) => ({ ...object, ...columnsOf(object, parts) }));
  const byKey = new Map(tables.map((table) => [anyCaseKey(table), table]));
  const sampled: SchemaObject[] = [];
  for (const table of tables) {
    const object = toObject(table, parts, byKey);
    sampled.push(object.omission === null ? yield* withSamples(object, table) : object);
  }
  return { kind: "sqlite", product: `SQLite ${textOf(version[0])}`, defaultSchema: "main", objects: sampled };
}

/** What the catalogue says, by table. */
interface Parts {
  readonly modules: ReadonlyMap<string, string>;
  /** Why the columns of an object cannot be read. */
  readonly failures: ReadonlyMap<string, string>;
  readonly rows: ReadonlyMap<string, readonly CatalogueRow[]>;
  readonly columns: ReadonlyMap<string, readonly ListedColumn[]>;
  readonly indexes: ReadonlyMap<string, readonly CatalogueRow[]>;
  readonly foreignKeys: ReadonlyMap<string, readonly CatalogueRow[]>;
}

type ReadTable = SqliteObject & SqliteColumns;

interface ReadColumns {
  readonly rows: readonly CatalogueRow[];
  readonly failures: ReadonlyMap<string, string>;
}

/** Reads all columns at once. One view over a missing table or function would stop that, so then each is read alone. */
function* readColumns(objects: readonly SqliteObject[]): CatalogueSteps<ReadColumns> {
  const select = (condition: string, ...parameters: readonly string[]): CatalogueQuery => ({
    sql: `${SQLITE_COLUMNS} where ${condition} order by l.schema, l.name, x.cid`,
    parameters,
    width: 11,
  });
  const failures = new Map<string, string>();
  try {
    return { rows: yield select("true"), failures };
  } catch {
    const rows = [...(yield select("l.type = 'table'"))];
    for (const { kind, schema, name } of objects) {
      if (kind === "table") continue;
      try {
        rows.push(...(yield select("l.schema = ? and l.name = ?", schema, name)));
      } catch (error) {
        failures.set(keyOf({ schema, name }), messageOf(error));
      }
    }
    return { rows, failures };
  }
}

/** Reads the names of the modules of virtual tables. */
function* readModules(objects: readonly SqliteObject[]): CatalogueSteps<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  for (const schema of new Set(objects.flatMap((object) => (object.kind === "virtual" ? [object.schema] : [])))) {
    const from = `"${schema.replaceAll('"', '""')}".sqlite_schema`;
    const sql = `select name as c0, sql as c1 from ${from} where type = 'table' and rootpage = 0`;
    for (const [name, text] of yield { sql, parameters: [], width: 2 }) {
      const module = /\busing\s+(\w+)/i.exec(textOrNull(text)?.replace(/^.*?virtual\s+table/is, "") ?? "")?.[1];
      if (module !== undefined) modules.set(keyOf({ schema, name: textOf(name) }), module);
    }
  }
  return modules;
}

function columnsOf(object: SqliteObject, { rows, columns, indexes }: Parts): SqliteColumns {
  const key = keyOf(object);
  const hasKeyIndex = (indexes.get(key) ?? []).some((row) => textOf(row[8]) === "pk");
  return toSqliteColumns(object, { rows: rows.get(key) ?? [], listed: columns.get(key) ?? [], hasKeyIndex });
}

function toObject(table: ReadTable, parts: Parts, tables: ReadonlyMap<string, ReadTable>): SchemaObject {
  const { schema, name, kind, columns, primaryKey, identity, rowid } = table;
  const key = keyOf(table);
  const indexes = (parts.indexes.get(key) ?? []).map(toSqliteIndexColumn);
  const failure = parts.failures.get(key);
  return {
    schema,
    name,
    kind: kind === "view" ? "view" : "table",
    columns,
    indexes: collectIndexes(identity === undefined ? indexes : [toRowidIndex(table, identity), ...indexes]),
    primaryKey,
    provenKey: [],
    foreignKeys: toForeignKeys(table, parts.foreignKeys.get(key) ?? [], tables),
    comment: null,
    estimatedRows: null,
    rowid,
    omission:
      omissionOf(table, parts.modules.get(key)) ??
      (failure === undefined ? null : { code: "unreadable", reason: `not readable: ${failure}` }),
  };
}

/** Adds samples of the columns whose type SQLite does not enforce. */
function* withSamples(object: SchemaObject, { isStrict, isWithoutRowid }: ReadTable): CatalogueSteps<SchemaObject> {
  const isSampled = ({ definition }: ObjectColumn): boolean => !isStrict || definition.toUpperCase() === "ANY";
  const { schema, name } = object;
  const columns = object.columns.filter(isSampled);
  if (columns.length === 0) return object;
  const order = isWithoutRowid ? keyOrder(object) : rowidOrder(object);
  try {
    const sample = yield* sampleSqliteTable({ schema, name, order, columns, isView: object.kind !== "table" });
    const sampled = object.columns.map((column) => ({ ...column, sample: sample.columns.get(column.name) ?? null }));
    return yield* withKeyClasses({ ...object, columns: sampled, estimatedRows: sample.rows });
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const why = code === "QueryTimeout" ? TOO_SLOW : messageOf(error);
    return { ...object, omission: { code: "unreadable", reason: `not readable: ${why}` } };
  }
}

const TOO_SLOW = "500 rows take more than 2 s, or 10,000 more than 10 s";

function rowidOrder({ kind, rowid }: SchemaObject): readonly RowOrder[] {
  return kind !== "table" || rowid === undefined ? [] : [{ name: rowid, collation: null, isDescending: false }];
}

/** The rows of a table without rowid are stored in the order of its primary key. */
function keyOrder({ primaryKey, indexes }: SchemaObject): readonly RowOrder[] {
  const names = primaryKey.join("\0");
  const index = indexes.find(({ columns }) => columns.map((column) => column?.name).join("\0") === names);
  return (index?.columns ?? []).flatMap((column) =>
    column === null
      ? []
      : [{ name: quoteSqlite(column.name), collation: column.collation, isDescending: !column.nullsFirst }],
  );
}

function keyOf({ schema, name }: ObjectName): string {
  return tableKey({ schema, table: name });
}

function byName(left: ObjectName, right: ObjectName): number {
  return compare(left.schema, right.schema) || compare(left.name, right.name);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
