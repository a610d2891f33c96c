import { textOf, textOrNull, type CatalogueRow } from "./catalogue-steps.ts";
import type { ListedIndexColumn } from "./collect-tables.ts";
import type { ForeignKey, ObjectColumn, ObjectName } from "./database-schema.ts";
import { mysqlColumns, mysqlIndexes, toMysqlColumn, toMysqlIndexColumn } from "./mysql-catalogue.ts";

/** The types with a length that a declaration gives; those of texts and blobs are the limits of the type. */
const WITH_LENGTH: ReadonlySet<string> = new Set(["binary", "char", "varbinary", "varchar"]);

/** Lists tables and views. Sequences are tables of another type. */
export const MY_OBJECTS = `select c.table_schema as c0, c.table_name as c1, c.table_type as c2, c.table_comment as c3,
  c.table_rows as c4 from information_schema.tables c`;
export const MY_OBJECT_TYPES = "c.table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')";

export const MY_OBJECT_COLUMNS: string = mysqlColumns(`, c.column_comment as c12, c.privileges as c13,
  c.character_maximum_length as c14, c.numeric_precision as c15, c.numeric_scale as c16, c.datetime_precision as c17,
  c.character_set_name as c18`);

export const MY_OBJECT_INDEXES: string = mysqlIndexes(", c.index_type as c7");

export const MY_FOREIGN_KEYS = `select c.table_schema as c0, c.table_name as c1, c.constraint_name as c2, c.column_name as c3,
  c.referenced_table_schema as c4, c.referenced_table_name as c5, c.referenced_column_name as c6
  from information_schema.key_column_usage c`;

/** Lists the constraints that tell JSON from other text: the type is an alias of longtext. */
export const MY_JSON = `select c.constraint_schema as c0, c.table_name as c1, c.check_clause as c2
  from information_schema.check_constraints c`;

/** Returns a key of a table for maps. */
export function tableKey({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** A column or column of an index, by `tableKey`. */
export interface OfTable<Item> {
  readonly table: string;
  readonly item: Item;
}

/** Returns a row of `MY_OBJECT_COLUMNS`. @param json the keys of JSON columns, as `jsonKey` returns them */
export function toObjectColumn(row: CatalogueRow, json: ReadonlySet<string>): OfTable<ObjectColumn> {
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
export function jsonColumns(rows: readonly CatalogueRow[]): ReadonlySet<string> {
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
export function toObjectIndexColumn(row: CatalogueRow): OfTable<ListedIndexColumn> {
  const listed = toMysqlIndexColumn(row);
  const isPrefix = row[6] !== null && row[6] !== undefined;
  const isPartial = ["FULLTEXT", "SPATIAL"].includes(textOf(row[7]).toUpperCase());
  const table = tableKey({ schema: listed.schema, name: listed.table });
  return { table, item: { ...listed, isPartial, column: isPrefix ? null : listed.column } };
}

/** Returns the columns of primary keys in rows of `MY_OBJECT_INDEXES`. Unique prefixes belong to unique values. */
export function toPrimaryColumn(row: CatalogueRow): ReadonlyArray<OfTable<string>> {
  const [schema, name, index, , column] = row;
  if (textOf(index) !== "PRIMARY") return [];
  return [{ table: tableKey({ schema: textOf(schema), name: textOf(name) }), item: textOf(column) }];
}

/** The cells of `MY_FOREIGN_KEYS`. */
type ForeignKeyTexts = [string, string, string, string, string, string, string];

/** Groups rows of `MY_FOREIGN_KEYS` by key. */
export function toForeignKeys(rows: readonly CatalogueRow[]): ReadonlyArray<OfTable<ForeignKey>> {
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
export function byTable<Item>(items: ReadonlyArray<OfTable<Item>>): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const { table, item } of items) {
    const group = groups.get(table);
    if (group === undefined) groups.set(table, [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns whether an object is a view. */
export function isView([, , type]: CatalogueRow): boolean {
  return textOf(type) === "VIEW";
}

/** Returns a text; null without characters. */
export function presentText(cell: unknown): string | null {
  const text = textOrNull(cell);
  return text === "" ? null : text;
}

/** Returns a number that a driver may return as a string; null for NULL. */
export function numberOrNull(cell: unknown): number | null {
  return cell === null || cell === undefined ? null : Number(cell);
}
