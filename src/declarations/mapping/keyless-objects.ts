import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribeOptions } from "../describe-options.ts";
import { draftColumns } from "./draft-object.ts";
import { findKey, keyTypeOf, mayShareText } from "./find-key.ts";
import { withKeyColumns } from "./key-columns.ts";
import { selectObjects } from "./select-objects.ts";

/** An object without a key, and the columns that can be part of one. */
export interface KeylessObject {
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
