import { isYes, textOf, textOrNull, type CatalogueRow } from "./catalogue-steps.ts";
import { tableKey, type ListedColumn, type ListedIndexColumn } from "./collect-tables.ts";
import type { ForeignKey, ObjectColumn, ObjectName, ObjectOmission } from "./database-schema.ts";
import { omitMigrations } from "./omitted-objects.ts";
import { ROWIDS, toLower } from "./sqlite-catalogue.ts";
import { declaredDigits } from "./sqlite-category.ts";

export const SQLITE_OBJECTS = `select l.schema as c0, l.name as c1, l.type as c2, l.wr as c3, l.strict as c4
  from pragma_table_list l where l.name not like 'sqlite\\_%' escape '\\'`;

/** Foreign keys have numbers from the last to the first of the table. `c6` is null for the primary key of the target. */
export const SQLITE_FOREIGN_KEYS = `select l.schema as c0, l.name as c1, f.id as c2, f."table" as c3, f."from" as c4, f."to" as c5
  from pragma_table_list l join pragma_foreign_key_list(l.name, l.schema) f where l.type = 'table'
  order by f.id desc, f.seq`;

/** A table or view as `pragma_table_list` describes it. */
export interface SqliteObject extends ObjectName {
  readonly kind: "shadow" | "table" | "view" | "virtual";
  readonly isWithoutRowid: boolean;
  readonly isStrict: boolean;
}

/** Returns a row of `SQLITE_OBJECTS`. */
export function toSqliteObject([schema, name, type, isWithoutRowid, isStrict]: CatalogueRow): SqliteObject {
  const kind = (["shadow", "view", "virtual"] as const).find((each) => each === textOf(type)) ?? "table";
  const flags = { isWithoutRowid: isYes(isWithoutRowid), isStrict: isYes(isStrict) };
  return { schema: textOf(schema), name: textOf(name), kind, ...flags };
}

/** Returns why an object is not published; null for one of the application. @param module the module of a virtual table */
export function omissionOf(object: SqliteObject, module: string | undefined): ObjectOmission | null {
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
export interface SqliteColumns {
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
export function toSqliteColumns(
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
export function toRowidIndex({ schema, name }: ObjectName, identity: string): ListedIndexColumn {
  const column = { name: identity, collation: null, nullsFirst: true };
  return { schema, table: name, index: "", isUnique: true, isPartial: false, column };
}

/** A table that foreign keys may refer to. */
export interface KeyedTable extends ObjectName {
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
export function toForeignKeys(
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
export function anyCaseKey({ schema, name }: ObjectName): string {
  return tableKey({ schema, table: toLower(name) });
}

function sameName(table: KeyedTable | undefined, name: string): string {
  return table?.columns.find((column) => toLower(column.name) === toLower(name))?.name ?? name;
}
