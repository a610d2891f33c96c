import type { EntitySet } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { RowShape } from "../query/row-shape.ts";
import { compileScalarReader, requireObject, requireRow } from "./property-reader.ts";

/** Reads the values that the ETag of an entity is made from, in canonical form, by field. */
export type EtagValuesReader = (entity: unknown) => Readonly<Record<string, PrimitiveValue | null>>;

/** By set, and within it by the layout of its rows; the set itself stands for the application's objects. */
const readers = new WeakMap<EntitySet, WeakMap<RowShape | EntitySet, EtagValuesReader>>();

/**
 * The reader of the values behind an ETag, made once per set and layout: a write repeats them where it takes place.
 * @param rowShape the layout of the entities when they are rows; otherwise they are the application's objects
 * @returns a reader that throws Error when a value is not one of its type, or missing though not nullable
 * @see specification, Conditional requests and ETags, rule 5
 */
export function etagValuesReader(entitySet: EntitySet, rowShape: RowShape | undefined): EtagValuesReader {
  let ofSet = readers.get(entitySet);
  if (ofSet === undefined) readers.set(entitySet, (ofSet = new WeakMap()));
  const layout = rowShape ?? entitySet;
  let reader = ofSet.get(layout);
  if (reader === undefined) ofSet.set(layout, (reader = compileReader(entitySet, rowShape)));
  return reader;
}

function compileReader({ entityType, etag }: EntitySet, rowShape: RowShape | undefined): EtagValuesReader {
  const parts = etag.map((property) => [property.field, compileScalarReader(entityType, property, rowShape)] as const);
  const name = entityType.qualifiedName;
  return (entity) => {
    const source = rowShape === undefined ? requireObject(entity, name) : requireRow(entity, name);
    return Object.freeze(Object.fromEntries(parts.map(([field, read]) => [field, read(source)])));
  };
}
