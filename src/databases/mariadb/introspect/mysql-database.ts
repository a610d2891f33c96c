import {
  textOf,
  textOrNull,
  type CatalogueQuery,
  type CatalogueRow,
  type CatalogueSteps,
  isYes,
} from "../../introspect/catalogue-steps.ts";
import { collectIndexes, type ListedIndexColumn, omitMigrations } from "../../introspect/collect-tables.ts";
import type {
  DatabaseSchema,
  ForeignKey,
  ObjectOmission,
  SchemaObject,
  SchemaSelection,
  ObjectColumn,
  ObjectName,
  ColumnSample,
} from "../../introspect/database-schema.ts";
import { quoteName } from "../../introspect/quote-name.ts";
import { withUnreadableSamples } from "../../introspect/unreadable-samples.ts";
import { mysqlColumns, mysqlIndexes, toMysqlColumn, toMysqlIndexColumn } from "./mysql-catalogue.ts";
import { MY_CELL_TESTS } from "./unreadable-cells.ts";

const SERVER: CatalogueQuery = {
  sql: "select version() as c0, database() as c1",
  parameters: [],
  width: 2,
};

/** Reads all tables and views of MariaDB. @see https://mariadb.com/kb/en/information-schema-tables/ */
export function* readMysqlDatabase({ schemas }: SchemaSelection = {}): CatalogueSteps<DatabaseSchema> {
  const [server = []] = yield SERVER;
  const product = productOf(textOf(server[0]));
  const database = textOrNull(server[1]);
  const wanted = schemas ?? (database === null ? [] : [database]);
  if (wanted.length === 0) {
    throw new Error("The connection to MariaDB names no database. Add its name to the URL, such as `/shop`.");
  }
  const select = (sql: string, width: number, rest: string, column = "c.table_schema"): CatalogueQuery => ({
    sql: `${sql} where ${column} in (${wanted.map(() => "?").join(", ")}) ${rest}`,
    parameters: wanted,
    width,
  });
  const rows = yield select(
    MY_OBJECTS,
    5,
    `and ${MY_OBJECT_TYPES} order by binary c.table_schema, binary c.table_name`,
  );
  const json = jsonColumns(yield select(MY_JSON, 3, "and c.check_clause like 'json%'", "c.constraint_schema"));
  const columns = yield select(MY_OBJECT_COLUMNS, 19, "order by c.ordinal_position");
  const indexes = yield select(
    MY_OBJECT_INDEXES,
    8,
    "order by c.index_name <> 'PRIMARY', binary c.index_name, c.seq_in_index",
  );
  const foreignKeys = yield select(
    MY_FOREIGN_KEYS,
    7,
    "and c.referenced_table_name is not null order by binary c.constraint_name, c.ordinal_position",
  );
  const parts = {
    columns: byTable(columns.map((row) => toObjectColumn(row, json))),
    indexes: byTable(indexes.map(toObjectIndexColumn)),
    primaryKeys: byTable(indexes.flatMap(toPrimaryColumn)),
    foreignKeys: byTable(toForeignKeys(foreignKeys)),
  };
  const objects: SchemaObject[] = [];
  for (const row of rows) {
    objects.push(yield* withUnreadableSamples(yield* withFlagSamples(toObject(row, parts)), MY_CELL_TESTS));
  }
  return { kind: "mysql", product, defaultSchema: database ?? wanted[0] ?? "", objects: withExactCase(objects) };
}

/** MySQL has no collation that compares text by code point with trailing blanks. */
function productOf(version: string): string {
  const number = /^(?:5\.5\.5-)?(\d+\.\d+\.\d+)/.exec(version)?.[1] ?? version;
  if (/mariadb/i.test(version)) return `MariaDB ${number}`;
  throw new Error(
    `The server is MySQL ${number}. odatakit needs MariaDB, because MySQL has no collation utf8mb4_nopad_bin, which compares text as OData does.`,
  );
}

interface Parts {
  readonly columns: ReadonlyMap<string, SchemaObject["columns"]>;
  readonly indexes: ReadonlyMap<string, Parameters<typeof collectIndexes>[0]>;
  readonly primaryKeys: ReadonlyMap<string, readonly string[]>;
  readonly foreignKeys: ReadonlyMap<string, readonly ForeignKey[]>;
}

function toObject(row: CatalogueRow, parts: Parts): SchemaObject {
  const name = { schema: textOf(row[0]), name: textOf(row[1]) };
  const key = tableKey(name);
  const columns = parts.columns.get(key) ?? [];
  const kind = isView(row) ? "view" : "table";
  const comment = presentText(row[3]);
  return {
    ...name,
    kind,
    columns,
    indexes: collectIndexes(parts.indexes.get(key) ?? []),
    primaryKey: parts.primaryKeys.get(key) ?? [],
    provenKey: [],
    foreignKeys: parts.foreignKeys.get(key) ?? [],
    comment: kind === "view" ? null : comment,
    estimatedRows: kind === "view" ? null : numberOrNull(row[4]),
    omission: omitMigrations(name) ?? unreadable(kind, comment, columns),
  };
}

/** The comment of a view is the word VIEW, or why it cannot be read. */
function unreadable(
  kind: SchemaObject["kind"],
  comment: string | null,
  columns: SchemaObject["columns"],
): ObjectOmission | null {
  if (kind === "view" && comment !== null && comment !== "VIEW") {
    return { code: "unreadable", reason: `not readable: ${comment}` };
  }
  const isHidden = columns.every(({ isSelectable }) => !isSelectable);
  return isHidden ? { code: "unreadable", reason: "not readable by the user of the connection" } : null;
}

/** Foreign keys have names in the case of their declarations, which names of columns ignore, and some servers for tables. */
function withExactCase(objects: readonly SchemaObject[]): readonly SchemaObject[] {
  const exact = new Map(objects.map((object) => [tableKey(object), object]));
  const similar = new Map(objects.map((object) => [tableKey(object).toLowerCase(), object]));
  return objects.map((object) => ({
    ...object,
    foreignKeys: object.foreignKeys.map((foreignKey) => {
      const key = tableKey(foreignKey.target);
      const target = exact.get(key) ?? similar.get(key.toLowerCase());
      const columns = foreignKey.columns.map((name) => sameName(object, name));
      if (target === undefined) return { ...foreignKey, columns };
      const targetColumns = foreignKey.targetColumns.map((name) => sameName(target, name));
      return { ...foreignKey, columns, target: { schema: target.schema, name: target.name }, targetColumns };
    }),
  }));
}

function sameName({ columns }: SchemaObject, name: string): string {
  return columns.find((column) => column.name.toLowerCase() === name.toLowerCase())?.name ?? name;
}

/** The types with a length that a declaration gives; those of texts and blobs are the limits of the type. */
const WITH_LENGTH: ReadonlySet<string> = new Set(["binary", "char", "varbinary", "varchar"]);

/** Lists tables and views. Sequences are tables of another type. */
const MY_OBJECTS = `select c.table_schema as c0, c.table_name as c1, c.table_type as c2, c.table_comment as c3,
  c.table_rows as c4 from information_schema.tables c`;
const MY_OBJECT_TYPES = "c.table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')";

const MY_OBJECT_COLUMNS: string = mysqlColumns(`, c.column_comment as c12, c.privileges as c13,
  c.character_maximum_length as c14, c.numeric_precision as c15, c.numeric_scale as c16, c.datetime_precision as c17,
  c.character_set_name as c18`);

const MY_OBJECT_INDEXES: string = mysqlIndexes(", c.index_type as c7");

const MY_FOREIGN_KEYS = `select c.table_schema as c0, c.table_name as c1, c.constraint_name as c2, c.column_name as c3,
  c.referenced_table_schema as c4, c.referenced_table_name as c5, c.referenced_column_name as c6
  from information_schema.key_column_usage c`;

/** Lists the constraints that distinguish JSON from other text: the type is an alias of longtext. */
const MY_JSON = `select c.constraint_schema as c0, c.table_name as c1, c.check_clause as c2
  from information_schema.check_constraints c`;

/** Returns a key of a table for maps. */
function tableKey({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** A column or column of an index, by `tableKey`. */
interface OfTable<Item> {
  readonly table: string;
  readonly item: Item;
}

/** Returns a row of `MY_OBJECT_COLUMNS`. @param json the keys of JSON columns, as `jsonKey` returns them */
function toObjectColumn(row: CatalogueRow, json: ReadonlySet<string>): OfTable<ObjectColumn> {
  const { schema, table, column } = toMysqlColumn(row);
  const [comment, privileges, length, digits, scale, fractions, characterSet] = row.slice(12);
  const extra = textOf(row[7]);
  // Without a default and of generated columns, the catalogue has the text NULL.
  const defaultValue = column.defaultValue === "NULL" ? null : column.defaultValue;
  const key = tableKey({ schema, name: table });
  return {
    table: key,
    item: {
      ...column,
      defaultValue,
      type: column.type === "longtext" && json.has(jsonKey(key, column.name)) ? "json" : column.type,
      comment: presentText(comment),
      isIdentity: extra.includes("auto_increment") || /^nextval\(/i.test(defaultValue ?? ""),
      isInvisible: extra.includes("invisible"),
      isSelectable: textOf(privileges).toLowerCase().split(",").includes("select"),
      length: WITH_LENGTH.has(column.type) ? numberOrNull(length) : null,
      precision: numberOrNull(fractions) ?? numberOrNull(digits),
      scale: numberOrNull(scale),
      characterSet: textOrNull(characterSet),
      enumType: null,
      source: null,
      sample: null,
    },
  };
}

/** Returns the keys of the columns in rows of `MY_JSON`. */
function jsonColumns(rows: readonly CatalogueRow[]): ReadonlySet<string> {
  return new Set(
    rows.flatMap(([schema, name, clause]) => {
      const column = /^json_valid\(`((?:[^`]|``)+)`\)$/i.exec(textOf(clause))?.[1];
      const key = tableKey({ schema: textOf(schema), name: textOf(name) });
      return column === undefined ? [] : [jsonKey(key, column.replaceAll("``", "`"))];
    }),
  );
}

function jsonKey(table: string, column: string): string {
  return `${table} ${column.toLowerCase()}`;
}

/** Returns a row of `MY_OBJECT_INDEXES`. The index is partial if it does not sort rows by its columns. */
function toObjectIndexColumn(row: CatalogueRow): OfTable<ListedIndexColumn> {
  const listed = toMysqlIndexColumn(row);
  const isPrefix = row[6] !== null && row[6] !== undefined;
  const isPartial = ["FULLTEXT", "SPATIAL"].includes(textOf(row[7]).toUpperCase());
  const table = tableKey({ schema: listed.schema, name: listed.table });
  return { table, item: { ...listed, isPartial, column: isPrefix ? null : listed.column } };
}

/** Returns the columns of primary keys in rows of `MY_OBJECT_INDEXES`. Unique prefixes belong to unique values. */
function toPrimaryColumn(row: CatalogueRow): ReadonlyArray<OfTable<string>> {
  const [schema, name, index, , column] = row;
  if (textOf(index) !== "PRIMARY") return [];
  return [{ table: tableKey({ schema: textOf(schema), name: textOf(name) }), item: textOf(column) }];
}

/** The cells of `MY_FOREIGN_KEYS`. */
type ForeignKeyTexts = [string, string, string, string, string, string, string];

/** Groups rows of `MY_FOREIGN_KEYS` by key. */
function toForeignKeys(rows: readonly CatalogueRow[]): ReadonlyArray<OfTable<ForeignKey>> {
  const keys = new Map<string, OfTable<ForeignKey>>();
  for (const row of rows) {
    const [ownSchema, ownName, name, column, schema, target, targetColumn] = row.map(textOf) as ForeignKeyTexts;
    const table = tableKey({ schema: ownSchema, name: ownName });
    const key = `${table} ${name}`;
    const before = keys.get(key)?.item;
    const item: ForeignKey = {
      name,
      columns: [...(before?.columns ?? []), column],
      target: { schema, name: target },
      targetColumns: [...(before?.targetColumns ?? []), targetColumn],
      comment: null,
    };
    keys.set(key, { table, item });
  }
  return [...keys.values()];
}

/** Returns the items of each table. */
function byTable<Item>(items: ReadonlyArray<OfTable<Item>>): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const { table, item } of items) {
    const group = groups.get(table);
    if (group === undefined) groups.set(table, [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns whether an object is a view. */
function isView([, , type]: CatalogueRow): boolean {
  return textOf(type) === "VIEW";
}

/** Returns a text; null without characters. */
function presentText(cell: unknown): string | null {
  const text = textOrNull(cell);
  return text === "" ? null : text;
}

/** Returns a number that a driver may return as a string; null for NULL. */
function numberOrNull(cell: unknown): number | null {
  return cell === null || cell === undefined ? null : Number(cell);
}

/** Rows of a sample: half of them the first and half the last ones. */
const MOST_ROWS = 10_000;
/** The number of cells that a statement returns for each column. */
const PARTS = 3;

/** Returns whether a column has the type `boolean` of MariaDB, which is an integer of one byte. */
export function isFlagColumn({ definition }: Pick<ObjectColumn, "definition">): boolean {
  return definition === "tinyint(1)";
}

/**
 * Adds samples of the columns that may contain other numbers than 0 and 1. An index knows all of its rows; of other columns
 * the statement reads the first and the last 5,000 rows in the order of the primary key.
 * @see https://mariadb.com/kb/en/boolean/
 */
function* withFlagSamples(object: SchemaObject): CatalogueSteps<SchemaObject> {
  const flags = object.columns.filter((column) => isFlagColumn(column) && column.isSelectable);
  if (flags.length === 0 || object.omission !== null) return object;
  let row: CatalogueRow | undefined;
  try {
    [row] = yield { sql: sampleStatement(object, flags), parameters: [], width: 1 + PARTS * flags.length };
  } catch {
    // Requests will report that the rows cannot be read.
    return object;
  }
  const [rows = 0, ...counts] = row ?? [];
  const samples = new Map(
    flags.map(({ name, nullable }, at) => {
      const [cells, zeroOrOne, hasOthers] = counts.slice(PARTS * at);
      return [
        name,
        toSample(Number(rows), Number(cells), Number(zeroOrOne), { nullable, hasOthers: isYes(hasOthers) }),
      ];
    }),
  );
  return {
    ...object,
    columns: object.columns.map((column) => ({ ...column, sample: samples.get(column.name) ?? column.sample })),
  };
}

function sampleStatement(object: SchemaObject, flags: readonly ObjectColumn[]): string {
  const from = `from ${quoteName(object.schema, MY_CELL_TESTS)}.${quoteName(object.name, MY_CELL_TESTS)}`;
  const leading = new Set(object.indexes.map(({ columns }) => columns[0]?.name));
  const counts = flags.flatMap(({ name }, at) => {
    const cell = `s${String(at)}`;
    const column = quoteName(name, MY_CELL_TESTS);
    const others = `exists(select 1 ${from} where ${column} < 0 or ${column} > 1)`;
    return [`count(${cell})`, `coalesce(sum(${cell} in (0, 1)), 0)`, leading.has(name) ? others : "0"];
  });
  const parts = ["count(*)", ...counts].map((part, at) => `${part} as c${String(at)}`);
  return `select ${parts.join(", ")} from (${rowsOf(object, flags, from)}) as s`;
}

function rowsOf({ primaryKey, columns }: SchemaObject, flags: readonly ObjectColumn[], from: string): string {
  const cells = flags.map(({ name }, at) => `${quoteName(name, MY_CELL_TESTS)} as s${String(at)}`).join(", ");
  const isKnown = primaryKey.every((name) => columns.some((column) => column.name === name && column.isSelectable));
  if (primaryKey.length === 0 || !isKnown) return `select ${cells} ${from} limit ${String(MOST_ROWS)}`;
  const half = (direction: string): string => {
    const order = primaryKey.map((name) => `${quoteName(name, MY_CELL_TESTS)} ${direction}`).join(", ");
    return `(select ${cells} ${from} order by ${order} limit ${String(MOST_ROWS / 2)})`;
  };
  return `${half("asc")} union all ${half("desc")}`;
}

function toSample(
  rows: number,
  cells: number,
  zeroOrOne: number,
  { nullable, hasOthers }: { readonly nullable: boolean; readonly hasOthers: boolean },
): ColumnSample {
  // Rows beyond the sample count as one more.
  const others = hasOthers && zeroOrOne === cells ? 1 : 0;
  const nulls = nullable ? Math.max(1, rows - cells) : 0;
  const integers = cells + others;
  const none = { reals: 0, texts: 0, blobs: 0, values: [] };
  return { ...none, rows: nulls + integers, nulls, integers, forms: { "zero-or-one": zeroOrOne } };
}
