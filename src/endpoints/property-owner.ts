import type { ComplexType, EntityType, StructuralProperty } from "../edm/model.ts";
import type { FoundEntity } from "../execution/read-by-key.ts";
import { rowReader, toRow } from "../execution/row-to-entity.ts";
import { compileFieldReader, requireObject } from "../payload/property-reader.ts";
import type { PropertyPath } from "../query/resource-path.ts";
import type { RowShape } from "../query/row-shape.ts";

/** The entity or complex value that contains an addressed property. */
export interface PropertyOwner {
  readonly type: EntityType | ComplexType;
  /** An object, or a row if it is an entity. */
  readonly value: unknown;
  readonly rowShape: RowShape | undefined;
}

/** Returns the property that a path addresses. */
export function addressedProperty({ property, members }: PropertyPath): StructuralProperty {
  return members.at(-1) ?? property;
}

/** Returns the path of the addressed property below the entity, such as `Home/City`. */
export function propertyPathText({ property, members }: PropertyPath): string {
  return [property, ...members].map(({ name }) => name).join("/");
}

/**
 * Returns the entity or complex value that contains the addressed property.
 * @param found the entity, with at least the first property of the path
 * @returns null if a complex value on the way is null
 * @throws Error for a value of a handler that is not an object
 * @see OData URL Conventions 4.0, section 4.6
 */
export function ownerOf(path: PropertyPath, { entity, rowShape }: FoundEntity): PropertyOwner | null {
  const { entitySet, property, members } = path;
  const { entityType } = entitySet;
  if (members.length === 0) return { type: entityType, value: entity, rowShape };
  let type: EntityType | ComplexType = entityType;
  let value: unknown = rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity));
  for (const step of [property, ...members.slice(0, -1)]) {
    const read = compileFieldReader(step.field);
    value = read(requireObject(value, type.qualifiedName)) ?? null;
    if (value === null) return null;
    if (step.type.kind !== "ComplexType") throw new Error(`${step.name} has no members.`);
    ({ type } = step);
  }
  return { type, value, rowShape: undefined };
}

/** Returns the number of items of the addressed collection: none where a complex value on the way is null. */
export function countItems(path: PropertyPath, found: FoundEntity): number {
  const owner = ownerOf(path, found);
  if (owner === null) return 0;
  const { type, value, rowShape } = owner;
  const { field } = addressedProperty(path);
  const object = rowShape === undefined ? value : rowReader(rowShape)(toRow(value));
  const items = compileFieldReader(field)(requireObject(object, type.qualifiedName)) ?? [];
  if (Array.isArray(items)) return items.length;
  if (typeof items === "object" && Symbol.iterator in items) return [...(items as Iterable<unknown>)].length;
  throw new Error(`${type.qualifiedName}/${addressedProperty(path).name} is not a collection.`);
}
