import { keptPer, keptPerPair } from "../base/memo.ts";
import type { EntitySet } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { RowShape } from "../query/row-shape.ts";
import { compileScalarReader, requireObject, requireRow } from "./property-reader.ts";

/** Reads the values of the ETag of an entity, in canonical form, by field. */
export type EtagValuesReader = (entity: unknown) => Readonly<Record<string, PrimitiveValue | null>>;

/**
 * Returns the reader of the values of an ETag, made once per set and layout. A write compares them in its statement.
 * @param rowShape the layout of the entities if they are rows; otherwise they are the application's objects
 * @returns a reader that throws Error for an invalid value, and for a missing value that is not nullable
 * @see docs/reference/etags.md
 */
export function etagValuesReader(entitySet: EntitySet, rowShape: RowShape | undefined): EtagValuesReader {
  return rowShape === undefined ? objectReader(entitySet) : rowReader(rowShape, entitySet);
}

const objectReader = keptPer((entitySet: EntitySet) => compileReader(entitySet, undefined));
const rowReader = keptPerPair((rowShape: RowShape, entitySet: EntitySet) => compileReader(entitySet, rowShape));

function compileReader({ entityType, etag }: EntitySet, rowShape: RowShape | undefined): EtagValuesReader {
  const parts = etag.map((property) => [property.field, compileScalarReader(entityType, property, rowShape)] as const);
  const name = entityType.qualifiedName;
  return (entity) => {
    const source = rowShape === undefined ? requireObject(entity, name) : requireRow(entity, name);
    return Object.freeze(Object.fromEntries(parts.map(([field, read]) => [field, read(source)])));
  };
}
