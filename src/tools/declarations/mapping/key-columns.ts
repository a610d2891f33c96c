import type { DatabaseSchema, SchemaObject } from "../../../databases/introspect/database-schema.ts";
import type { DescribeOptions } from "../described-service.ts";
import { objectKey } from "../names/naming.ts";
import { draftColumns } from "./draft-object.ts";
import { givenKeys, isNameOf, findKey, keyTypeOf, mayShareText } from "./find-key.ts";
import { selectObjects } from "./select-objects.ts";

/**
 * Marks the columns that keys contain, and those of foreign keys to or from them. A column of bytes among them becomes a
 * String, because no key and no foreign key can be an Edm.Binary.
 */
export function withKeyColumns(schema: DatabaseSchema, options: DescribeOptions): DatabaseSchema {
  const marked = new Set<string>();
  for (const object of schema.objects) {
    for (const name of keyNames(object, options)) marked.add(columnKey(object, name));
  }
  spread(schema, marked);
  return {
    ...schema,
    objects: schema.objects.map((object) => ({
      ...object,
      columns: object.columns.map((column) =>
        marked.has(columnKey(object, column.name)) ? { ...column, isKeyPart: true } : column,
      ),
    })),
  };
}

/** Returns the columns of the keys that an object can have. */
function keyNames(object: SchemaObject, options: DescribeOptions): readonly string[] {
  const { primaryKey, provenKey, uniqueKey, indexes, columns } = object;
  const given = Object.entries(givenKeys(options)).flatMap(([name, names]) => (isNameOf(name, object) ? names : []));
  const lower = new Set(given.map((name) => name.toLowerCase()));
  const unique =
    primaryKey.length > 0 ? [] : indexes.filter(({ isUnique }) => isUnique).flatMap((index) => index.columns);
  return [
    ...primaryKey,
    ...provenKey,
    ...(typeof uniqueKey === "object" ? uniqueKey : []),
    ...unique.flatMap((column) => column?.name ?? []),
    ...columns.flatMap(({ name }) => (lower.has(name.toLowerCase()) ? [name] : [])),
  ];
}

/** Both ends of a foreign key have one type, so marks follow foreign keys until none is new. */
function spread({ objects }: DatabaseSchema, marked: Set<string>): void {
  const pairs = objects.flatMap((object) =>
    object.foreignKeys.flatMap(({ columns, target, targetColumns }) =>
      columns.map((name, at) => [columnKey(object, name), columnKey(target, targetColumns[at] ?? "")] as const),
    ),
  );
  for (let known = -1; known !== marked.size;) {
    known = marked.size;
    for (const ends of pairs) if (ends.some((end) => marked.has(end))) for (const end of ends) marked.add(end);
  }
}

function columnKey(object: { readonly schema: string; readonly name: string }, column: string): string {
  return JSON.stringify([objectKey(object), column]);
}

/** An object without a key, and the columns that can be part of one. */
interface KeylessObject {
  readonly object: SchemaObject;
  /** Their names, those of numbers and texts before those of dates and flags, which are rarely names of things. */
  readonly columns: readonly string[];
}

const NAMING: ReadonlySet<string> = new Set([
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Byte",
  "Edm.String",
  "Edm.Guid",
]);

/** Returns the objects that have no key but the data, in the order of the schema. */
export function keylessObjects(given: DatabaseSchema, options: DescribeOptions): readonly KeylessObject[] {
  const schema = withKeyColumns(given, options);
  const settings = { kind: schema.kind, options, warn: () => undefined };
  return selectObjects(schema, options, settings.warn).flatMap((object) => {
    const columns = draftColumns(object, settings);
    if (findKey(object, columns, settings) !== undefined) return [];
    const possible = columns.flatMap((column) => {
      const type = keyTypeOf(column, settings);
      return type === undefined || mayShareText(column) ? [] : [{ name: column.name, isNaming: NAMING.has(type) }];
    });
    const names = [...possible.filter(({ isNaming }) => isNaming), ...possible.filter(({ isNaming }) => !isNaming)];
    return [{ object, columns: names.map(({ name }) => name) }];
  });
}
