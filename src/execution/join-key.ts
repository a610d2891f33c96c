import type { EntityType, NavigationJoin, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { parentProperties } from "../plan/plan-related.ts";
import type { RowShape } from "../query/row-shape.ts";
import { compileValueReader, identityOf } from "./entity-key.ts";

/** By what the related entities of a parent are found. */
export interface JoinKey {
  /** In the order of the join. */
  readonly values: readonly PrimitiveValue[];
  /** The same text for values that are equal. */
  readonly identity: string;
}

/** Reads the join key of a parent; null where one of its values is null: nothing is related to it. */
export type JoinKeyReader = (entity: unknown) => JoinKey | null;

/** By join, and there by the layout of rows, or by the type for the application's objects. */
const readers = new WeakMap<NavigationJoin, WeakMap<RowShape | EntityType, JoinKeyReader>>();

/**
 * The reader of what a join finds related entities by: made once per join and layout.
 * @param entityType the type of the parents
 * @param rowShape the layout of the parents when they are rows; otherwise they are the application's objects
 * @returns a reader that throws TypeError for a parent with a value that is none of its property's type, or without one
 *   that it must have: to take it for one that nothing is related to would hide what the handler left out
 */
export function joinKeyReader(
  join: NavigationJoin,
  entityType: EntityType,
  rowShape: RowShape | undefined,
): JoinKeyReader {
  let byLayout = readers.get(join);
  if (byLayout === undefined) readers.set(join, (byLayout = new WeakMap()));
  const layout = rowShape ?? entityType;
  let reader = byLayout.get(layout);
  if (reader === undefined) {
    reader = compileJoinKey(join, entityType, rowShape);
    byLayout.set(layout, reader);
  }
  return reader;
}

function compileJoinKey(join: NavigationJoin, entityType: EntityType, rowShape: RowShape | undefined): JoinKeyReader {
  const parts = parentProperties(join).map((property) => {
    return { property, read: compileValueReader(entityType, property, rowShape) };
  });
  const absent = (property: StructuralProperty): null => {
    if (property.nullable || rowShape !== undefined) return null;
    const { name } = entityType;
    throw new TypeError(
      `A handler returned an entity of type ${name} without its ${property.field}, by which others are found.`,
    );
  };
  return (entity) => {
    const pairs = parts.map(({ property, read }) => [property, read(entity) ?? absent(property)] as const);
    const complete = pairs.flatMap(([property, value]) => (value === null ? [] : [[property, value] as const]));
    if (complete.length < pairs.length) return null;
    return { values: complete.map(([, value]) => value), identity: identityOf(complete) };
  };
}
