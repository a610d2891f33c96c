import { textOf, textOrNull, type CatalogueQuery, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import { collectIndexes } from "./collect-tables.ts";
import type { DatabaseSchema, ForeignKey, ObjectOmission, SchemaObject, SchemaSelection } from "./database-schema.ts";
import { withFlagSamples } from "./mysql-flags.ts";
import {
  byTable,
  isView,
  jsonColumns,
  MY_FOREIGN_KEYS,
  MY_JSON,
  MY_OBJECT_COLUMNS,
  MY_OBJECT_INDEXES,
  MY_OBJECT_TYPES,
  MY_OBJECTS,
  numberOrNull,
  presentText,
  tableKey,
  toForeignKeys,
  toObjectColumn,
  toObjectIndexColumn,
  toPrimaryColumn,
} from "./mysql-objects.ts";
import { omitMigrations } from "./omitted-objects.ts";
import { withUnreadableSamples } from "./unreadable-samples.ts";

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
    objects.push(yield* withUnreadableSamples(yield* withFlagSamples(toObject(row, parts)), "mysql"));
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
