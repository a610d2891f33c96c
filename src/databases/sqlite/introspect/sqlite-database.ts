import { messageOf } from "../../../base/message-of.ts";
import {
  textOf,
  textOrNull,
  type CatalogueQuery,
  type CatalogueRow,
  type CatalogueSteps,
  isYes,
} from "../../introspect/catalogue-steps.ts";
import {
  collectIndexes,
  groupBy,
  tableKey,
  type ListedColumn,
  type ListedIndexColumn,
  omitMigrations,
} from "../../introspect/collect-tables.ts";
import type {
  DatabaseSchema,
  ObjectColumn,
  ObjectName,
  SchemaObject,
  SchemaSelection,
  ForeignKey,
  ObjectOmission,
} from "../../introspect/database-schema.ts";
import {
  ofTable,
  SQLITE_COLUMNS,
  SQLITE_INDEXES,
  toSqliteIndexColumn,
  withDefaultCells,
  ROWIDS,
  toLower,
} from "./sqlite-catalogue.ts";
import { declaredDigits } from "./sqlite-category.ts";
import { foreignPartsQuery, withForeignParts } from "./sqlite-foreign-parts.ts";
import { withKeyClasses } from "./sqlite-key-classes.ts";
import { quoteSqlite, sampleSqliteTable, type RowOrder } from "./sqlite-sample.ts";

/**
 * Reads all tables and views of SQLite, and a sample of the rows of tables and views that are not `STRICT`.
 * @param alive a condition that ends a statement over a view after its time; absent: none
 * @see https://sqlite.org/pragma.html#pragma_table_list
 */
export function* readSqliteDatabase({ schemas }: SchemaSelection = {}, alive?: string): CatalogueSteps<DatabaseSchema> {
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
  const suspects = new Set<string>();
  for (const schema of new Set(objects.map((object) => object.schema))) {
    for (const [name] of yield foreignPartsQuery(schema)) suspects.add(JSON.stringify([schema, name]));
  }
  const sampled: SchemaObject[] = [];
  for (const table of tables) {
    const listed = toObject(table, parts, byKey);
    const isSuspect = listed.omission === null && suspects.has(JSON.stringify([table.schema, toLower(table.name)]));
    const object = isSuspect ? yield* withForeignParts(listed) : listed;
    sampled.push(object.omission === null ? yield* withSamples(object, table, alive) : object);
  }
  return { kind: "sqlite", product: `SQLite ${textOf(version[0])}`, defaultSchema: "main", objects: sampled };
}

/** The content of the catalogue, by table. */
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
function* withSamples(
  object: SchemaObject,
  { isStrict, isWithoutRowid }: ReadTable,
  alive: string | undefined,
): CatalogueSteps<SchemaObject> {
  const isSampled = ({ definition }: ObjectColumn): boolean => !isStrict || definition.toUpperCase() === "ANY";
  const { schema, name } = object;
  const columns = object.columns.filter((column) => column.isSelectable && isSampled(column));
  if (columns.length === 0) return object;
  const order = isWithoutRowid ? keyOrder(object) : rowidOrder(object);
  try {
    const sample = yield* sampleSqliteTable({ schema, name, order, columns, isView: object.kind !== "table", alive });
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

const SQLITE_OBJECTS = `select l.schema as c0, l.name as c1, l.type as c2, l.wr as c3, l.strict as c4
  from pragma_table_list l where l.name not like 'sqlite\\_%' escape '\\'`;

/** Foreign keys have numbers from the last to the first of the table. `c6` is null for the primary key of the target. */
const SQLITE_FOREIGN_KEYS = `select l.schema as c0, l.name as c1, f.id as c2, f."table" as c3, f."from" as c4, f."to" as c5
  from pragma_table_list l join pragma_foreign_key_list(l.name, l.schema) f where l.type = 'table'
  order by f.id desc, f.seq`;

/** A table or view as `pragma_table_list` describes it. */
interface SqliteObject extends ObjectName {
  readonly kind: "shadow" | "table" | "view" | "virtual";
  readonly isWithoutRowid: boolean;
  readonly isStrict: boolean;
}

/** Returns a row of `SQLITE_OBJECTS`. */
function toSqliteObject([schema, name, type, isWithoutRowid, isStrict]: CatalogueRow): SqliteObject {
  const kind = (["shadow", "view", "virtual"] as const).find((each) => each === textOf(type)) ?? "table";
  const flags = { isWithoutRowid: isYes(isWithoutRowid), isStrict: isYes(isStrict) };
  return { schema: textOf(schema), name: textOf(name), kind, ...flags };
}

/** Returns why an object is not published; null for one of the application. @param module the module of a virtual table */
function omissionOf(object: SqliteObject, module: string | undefined): ObjectOmission | null {
  switch (object.kind) {
    case "shadow":
      return { code: "shadow", reason: "a part of a virtual table" };
    case "virtual":
      return { code: "virtual", reason: `a virtual table${module === undefined ? "" : ` of the module ${module}`}` };
    case "table":
    case "view":
      return omitMigrations(object);
  }
}

/** The columns of one table, and facts about them. */
interface SqliteColumns {
  readonly columns: readonly ObjectColumn[];
  readonly primaryKey: readonly string[];
  /** The column that is the rowid; undefined without one. */
  readonly identity: string | undefined;
  /** The name of the rowid; undefined if the table has none, or if columns have all its names. */
  readonly rowid: string | undefined;
}

/**
 * Returns the columns of an object.
 * @param rows the rows of `SQLITE_COLUMNS` for the object
 * @param listed the same rows as columns
 * @param hasKeyIndex whether the primary key has an index: then it is not the rowid, as in `integer primary key desc`
 */
function toSqliteColumns(
  object: SqliteObject,
  {
    rows,
    listed,
    hasKeyIndex,
  }: { rows: readonly CatalogueRow[]; listed: readonly ListedColumn[]; hasKeyIndex: boolean },
): SqliteColumns {
  const keys = rows.filter((row) => Number(row[7]) > 0).toSorted((left, right) => Number(left[7]) - Number(right[7]));
  const primaryKey = keys.map((row) => textOf(row[3]));
  const [key] = keys;
  const isRowid = keys.length === 1 && textOf(key?.[4]).toUpperCase() === "INTEGER" && !hasKeyIndex;
  const identity = isRowid && object.kind === "table" && !object.isWithoutRowid ? primaryKey[0] : undefined;
  const columns = listed.flatMap(({ column }, at) => {
    const [isNotNull, , , hidden] = rows[at]?.slice(5) ?? [];
    if (textOf(hidden) === "1") return [];
    const isIdentity = column.name === identity;
    // Other primary keys accept null, unless the pragma says that they do not.
    return [{ ...column, nullable: !isIdentity && !isYes(isNotNull), isIdentity, ...factsOf(column.definition) }];
  });
  const taken = new Set(columns.map(({ name }) => toLower(name)));
  const hasRowid = object.kind === "table" && !object.isWithoutRowid;
  return { columns, primaryKey, identity, rowid: hasRowid ? ROWIDS.find((name) => !taken.has(name)) : undefined };
}

/** The facts that SQLite has no place for are absent. It ignores lengths. */
function factsOf(definition: string): Omit<ObjectColumn, "isIdentity" | keyof ListedColumn["column"]> {
  return {
    comment: null,
    isInvisible: false,
    isSelectable: true,
    length: null,
    ...declaredDigits(definition),
    characterSet: null,
    enumType: null,
    source: null,
    sample: null,
  };
}

/** Returns the rowid under the name of its column as a unique index. */
function toRowidIndex({ schema, name }: ObjectName, identity: string): ListedIndexColumn {
  const column = { name: identity, collation: null, nullsFirst: true };
  return { schema, table: name, index: "", isUnique: true, isPartial: false, column };
}

/** A table that foreign keys may refer to. */
interface KeyedTable extends ObjectName {
  readonly columns: ReadonlyArray<{ readonly name: string }>;
  readonly primaryKey: readonly string[];
}

/**
 * Returns the foreign keys of one table. SQLite finds tables and columns in any letter case, and a foreign key without
 * columns of the target refers to its primary key. The target of a foreign key may not exist, and its key may have
 * another number of columns: then the foreign key has no columns of the target.
 * @param rows the rows of `SQLITE_FOREIGN_KEYS` for the table
 * @param tables all tables by `anyCaseKey`
 */
function toForeignKeys(
  own: KeyedTable,
  rows: readonly CatalogueRow[],
  tables: ReadonlyMap<string, KeyedTable>,
): readonly ForeignKey[] {
  const ids = [...new Set(rows.map((row) => textOf(row[2])))];
  return ids.map((id) => {
    const parts = rows.filter((row) => textOf(row[2]) === id);
    const name = textOf(parts[0]?.[3]);
    const target = tables.get(anyCaseKey({ schema: own.schema, name }));
    const named = parts.flatMap((row) => textOrNull(row[5]) ?? []);
    const targetColumns = named.length > 0 ? named.map((each) => sameName(target, each)) : (target?.primaryKey ?? []);
    return {
      name: null,
      columns: parts.map((row) => sameName(own, textOf(row[4]))),
      target: { schema: own.schema, name: target?.name ?? name },
      targetColumns: targetColumns.length === parts.length ? targetColumns : [],
      comment: null,
    };
  });
}

/** Returns the key of a table that is the same in any letter case of its name. */
function anyCaseKey({ schema, name }: ObjectName): string {
  return tableKey({ schema, table: toLower(name) });
}

function sameName(table: KeyedTable | undefined, name: string): string {
  return table?.columns.find((column) => toLower(column.name) === toLower(name))?.name ?? name;
}
