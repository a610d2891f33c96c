import { keptPer } from "../base/memo.ts";
import {
  type EntityContainer,
  type EntitySet,
  type EntityType,
  shownProperties,
  type StructuralProperty,
} from "./model.ts";

/** The key of the name of an entity's type in the objects of a hierarchy, and its annotation in JSON. */
export const TYPE_FIELD = "@odata.type";

/** Returns the properties that an entity of this very type has. */
export function propertiesOfType({ properties, hierarchy }: EntityType): readonly StructuralProperty[] {
  return hierarchy?.properties ?? properties;
}

/** Returns the structural properties that clients may name: those of every entity of the type. */
export function namedProperties(type: EntityType): readonly StructuralProperty[] {
  return type.hierarchy?.properties ?? shownProperties(type);
}

/** Returns a property as the types that declare it have it: other types of the hierarchy lack it, so it is nullable otherwise. */
export function asDeclared(property: StructuralProperty): StructuralProperty {
  return property.requiredByType === true ? requiredOf(property) : property;
}

const requiredOf = keptPer((property: StructuralProperty): StructuralProperty =>
  Object.freeze({ ...property, nullable: false }),
);

/** Returns the name of the set that shows the entities of a set as one of the derived types: also a path of two segments. */
export function castName(entitySet: string, type: string): string {
  return `${entitySet}/${type}`;
}

/**
 * Returns the set that shows the entities of a set as a type, by its qualified name; the set itself for its own type.
 * @returns undefined for a type that is neither that of the set nor derived from it
 */
export function castOf(
  { entitySets }: Pick<EntityContainer, "entitySets">,
  entitySet: EntitySet,
  qualifiedName: string,
): EntitySet | undefined {
  const { entityType } = entitySet;
  if (entityType.hierarchy === undefined) return undefined;
  if (entityType.qualifiedName === qualifiedName) return entitySet;
  const found = entitySets.get(castName(entitySet.castFrom ?? entitySet.name, qualifiedName));
  return found !== undefined && entityType.hierarchy.types.has(found.entityType.name) ? found : undefined;
}
