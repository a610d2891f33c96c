import { required } from "../../../base/required.ts";
import type {
  DatabaseKind,
  ObjectColumn,
  ObjectName,
  SchemaObject,
} from "../../../databases/introspect/database-schema.ts";
import { isKeyType } from "../../../edm/primitive-type.ts";
import type { ColumnMapping, ColumnMappingContext } from "../columns/column-mapping.ts";
import { rulesOf } from "../columns/rules-of.ts";
import type { DescribeOptions, DescribedSet, DescribedWarning, DescribedColumn } from "../described-service.ts";

/** The key of a set. */
export interface FoundKey {
  readonly kind: DescribedSet["key"];
  readonly columns: readonly string[];
}

/** The settings for the search for a key. */
interface KeySettings {
  readonly kind: DatabaseKind;
  readonly options: DescribeOptions;
  readonly warn: (warning: DescribedWarning) => void;
}

/**
 * Finds the key of an object: the given one, the primary key unless rows have null in it, the shortest unique index over columns that are not null, the
 * unique index of a materialized view, the key that the database proves, the rowid, or columns that are unique in the data.
 * @param columns the published columns
 */
export function findKey(
  object: SchemaObject,
  columns: readonly ObjectColumn[],
  settings: KeySettings,
): FoundKey | undefined {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const isPossible = (names: readonly string[], mayBeNull = false): boolean =>
    names.length > 0 &&
    names.every((name) => {
      const column = byName.get(name);
      if (column === undefined || mayShareText(column)) return false;
      return (mayBeNull || !column.nullable) && isKeyColumn(column, settings);
    });
  const given = givenKey(object, columns, settings);
  if (given !== undefined) {
    if (isPossible(given, true)) return { kind: "given", columns: given };
    settings.warn({ code: "given-key", place: placeOf(object), message: impossibleKey(object, given), flag: null });
  }
  const { primaryKey, provenKey, kind, rowid, uniqueKey } = object;
  // SQLite accepts null in a primary key that is not the rowid.
  const isPrimary = isPossible(primaryKey, rulesOf(settings.kind).acceptsAnyCell);
  const lacksKeys = primaryKey.some((name) => hasNull(byName.get(name)));
  if (isPrimary && !lacksKeys) return { kind: "primary key", columns: primaryKey };
  const unique = uniqueIndexes(object).toSorted(
    (left, right) => left.length - right.length || inOrderOf(object, left, right),
  );
  const index = unique.find((names) => isPossible(names, kind === "materialized view"));
  if (index !== undefined) return { kind: "unique index", columns: index };
  if (isPossible(provenKey, true)) return { kind: "proven", columns: provenKey };
  if (rowid !== undefined && byName.has(rowid)) return { kind: "rowid", columns: [rowid] };
  // The rows with null in the key are excluded, because nothing else names them.
  if (isPrimary) return { kind: "primary key", columns: primaryKey };
  return typeof uniqueKey === "object" && isPossible(uniqueKey, true)
    ? { kind: "unique in the data", columns: uniqueKey }
    : undefined;
}

/**
 * Returns whether different cells of a column of SQLite may have the same text, such as 1 and '1' in a column without a type,
 * or bytes and their digits. Columns of numbers turn texts of numbers into numbers.
 */
export function mayShareText({ sample, type }: ObjectColumn): boolean {
  if (sample === null) return false;
  const { integers, reals, texts, blobs } = sample;
  const classes = [integers, reals, texts, blobs].filter((count) => count > 0).length;
  if (classes < 2) return false;
  return blobs > 0 || (texts > 0 && (reals > 0 || ["BLOB", ""].includes(type)));
}

/** Returns the columns of the primary key whose cells may have the same text, each with the classes of its cells. */
export function sharedTexts({ primaryKey, columns }: SchemaObject): readonly string[] {
  return columns
    .filter((column) => primaryKey.includes(column.name) && mayShareText(column))
    .map(({ name, sample }) => {
      const classes = (["integers", "reals", "texts", "blobs"] as const).filter((each) => (sample?.[each] ?? 0) > 0);
      return `${name} has ${classes.join(" and ")}`;
    });
}

function impossibleKey({ columns }: SchemaObject, given: readonly string[]): string {
  const shared = columns.filter((column) => given.includes(column.name) && mayShareText(column));
  const why =
    shared.length > 0
      ? `different cells of ${shared.map(({ name }) => name).join(", ")} may have the same text`
      : "a column has a type that no key can have";
  return `cannot have the given key ${given.join(", ")}, because ${why}, so it is ignored`;
}

/** Returns whether a sample shows null. It shows for all rows whether the columns of a key have it. */
export function hasNull(column: ObjectColumn | undefined): boolean {
  return (column?.sample?.nulls ?? 0) > 0;
}

function isKeyColumn(column: ObjectColumn, settings: KeySettings): boolean {
  return keyTypeOf(column, settings) !== undefined;
}

/** Returns the type of a column that can be part of a key; undefined if it cannot. */
export function keyTypeOf(column: ObjectColumn, { kind, options }: KeySettings): string | undefined {
  const mapping = roughMapping(kind, column, options);
  if (!("column" in mapping) || mapping.column.isCollection) return undefined;
  const { type } = mapping.column;
  if (typeof type === "object") return type.enumType;
  return isKeyType(type) ? type : undefined;
}

function uniqueIndexes({ indexes }: SchemaObject): ReadonlyArray<readonly string[]> {
  return indexes.flatMap(({ isUnique, columns }) => {
    const names = columns.flatMap((column) => (column === null ? [] : [column.name]));
    return isUnique && names.length === columns.length ? [names] : [];
  });
}

/** Returns whether the database rejects two rows with one key. */
export function isGuaranteed(object: SchemaObject, { kind, columns }: FoundKey): boolean {
  if (kind !== "given" && kind !== "unique in the data") return true;
  const keys = [object.primaryKey, ...uniqueIndexes(object)];
  return keys.some((names) => names.length > 0 && names.every((name) => columns.includes(name)));
}

/** Of indexes with as many columns, the first in the table is the key, whatever the names of the indexes are. */
function inOrderOf({ columns }: SchemaObject, left: readonly string[], right: readonly string[]): number {
  const orderOf = (names: readonly string[]): string =>
    String.fromCodePoint(...names.map((name) => columns.findIndex((column) => column.name === name) + 1));
  return orderOf(left) < orderOf(right) ? -1 : 1;
}

/** Returns the columns of `--key`, in the letter case of the database. @returns undefined without a usable entry */
function givenKey(
  object: SchemaObject,
  columns: readonly ObjectColumn[],
  { options, warn }: KeySettings,
): readonly string[] | undefined {
  const entry = Object.entries(givenKeys(options)).find(([name]) => isNameOf(name, object));
  if (entry === undefined) return undefined;
  const found = entry[1].map((name) => columns.find((column) => column.name.toLowerCase() === name.toLowerCase()));
  const missing = entry[1].filter((_, at) => found[at] === undefined);
  if (missing.length > 0) {
    const message = `has no published column ${missing.map((name) => JSON.stringify(name)).join(", ")}, so the given key is ignored`;
    warn({ code: "given-key", place: placeOf(object), message, flag: null });
    return undefined;
  }
  return found.flatMap((column) => (column === undefined ? [] : [column.name]));
}

/** Returns whether a name, with its schema or without, is that of an object in any letter case. */
export function isNameOf(given: string, { schema, name }: ObjectName): boolean {
  return [name, `${schema}.${name}`].some((each) => each.toLowerCase() === given.toLowerCase());
}

/** Returns the keys by the names of views and tables. */
export function givenKeys({ keys }: DescribeOptions): Readonly<Record<string, readonly string[]>> {
  if (keys === undefined || typeof keys === "string") return {};
  return Object.fromEntries(
    Object.entries(keys).filter((entry): entry is [string, readonly string[]] => Array.isArray(entry[1])),
  );
}

/** Returns whether the data may be searched for keys. */
export function searchesKeys({ keys }: DescribeOptions): boolean {
  return (typeof keys === "object" ? keys["*"] : keys) === "unique";
}

/** Maps a column of a kind of database. No key can be an Edm.Binary, so a key of bytes is a String of their digits. */
export function mapColumn(kind: DatabaseKind, column: ObjectColumn, context: ColumnMappingContext): ColumnMapping {
  const mapping = rulesOf(kind).map(column, context);
  if (column.isKeyPart !== true || !("column" in mapping)) return mapping;
  const { type, isCollection, facets } = mapping.column;
  if (type !== "Edm.Binary" || isCollection) return mapping;
  const { maxLength } = facets;
  const digits = maxLength === undefined ? {} : { maxLength: 2 * maxLength };
  return { ...mapping, column: { ...mapping.column, type: "Edm.String", storage: "hex", facets: digits } };
}

/** Maps a column without names, which decide neither whether it is published nor whether it is an enumeration. */
export function roughMapping(
  kind: DatabaseKind,
  column: ObjectColumn,
  { zoneless = "utc" }: DescribeOptions,
): ColumnMapping {
  const enumType = column.labels === null ? null : "Enumeration";
  return mapColumn(kind, column, { place: "", enumType, zoneless });
}

/** Returns the name of an object for messages and flags. */
export function placeOf({ schema, name }: ObjectName): string {
  return schema === "main" ? name : `${schema}.${name}`;
}

/** A published column of an object. */
interface PublishedColumn {
  readonly column: ObjectColumn;
  readonly mapped: DescribedColumn;
}

/** Returns a published column with its type. @param columns the published columns of its object */
export function publishedColumn(
  columns: readonly ObjectColumn[],
  name: string | undefined,
  kind: DatabaseKind,
  options: DescribeOptions,
): PublishedColumn {
  const unpublished = "The column is not published.";
  const column = required(
    columns.find((each) => each.name === name),
    unpublished,
  );
  const mapping = roughMapping(kind, column, options);
  return { column, mapped: required("column" in mapping ? mapping.column : null, unpublished) };
}
