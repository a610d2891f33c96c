import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { declaredFieldOf, invalidHandlerValue } from "../../memory/compile-property.ts";
import { givenFieldOf } from "../../memory/missing-value.ts";

/**
 * Returns an entity in the form in which the application uses it: every property by its field, in canonical form, null
 * where it is absent. Handlers may omit ignored properties, also those of complex values, which then stay absent. Null in
 * place of an ignored value that may not be null makes it absent too, so that rules do not take it for a value.
 * @param entity as a handler returned it
 * @throws TypeError for a value that does not match the type of its property
 */
export function canonicalEntity(entityType: EntityType, entity: object): object {
  return canonicalMembers(entityType, entity, entityType.name);
}

function canonicalMembers(type: EntityType | ComplexType, owner: object, path: string): object {
  const { properties, ignoredProperties } = type;
  const returned = ignoredProperties.filter(({ field, nullable, isCollection }) => {
    const value = givenFieldOf(owner, field);
    return value !== undefined && (value !== null || nullable || isCollection);
  });
  return Object.fromEntries(
    (returned.length === 0 ? properties : [...properties, ...returned]).map((property) => {
      const { field, name, isCollection } = property;
      const value = declaredFieldOf(owner, field) ?? null;
      const place = `${path}.${name}`;
      if (!isCollection || value === null) return [field, canonicalValue(property, value, place)];
      if (!Array.isArray(value)) throw invalidHandlerValue(place, "a collection", value);
      const items: readonly unknown[] = value;
      return [field, items.map((item) => canonicalValue(property, item, place))];
    }),
  );
}

function canonicalValue(property: StructuralProperty, value: unknown, place: string): unknown {
  if (value === null || value === undefined) return null;
  const { type } = property;
  if (type.kind === "ComplexType") {
    if (typeof value !== "object") throw invalidHandlerValue(place, type.name, value);
    return canonicalMembers(type, value, place);
  }
  try {
    return codecOf(property).fromHandler(value);
  } catch (error) {
    throw invalidHandlerValue(place, type.name, value, error);
  }
}
