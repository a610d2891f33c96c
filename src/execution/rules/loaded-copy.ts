import { frozenCopy } from "../../base/frozen-copy.ts";
import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import { defineMissing } from "../../memory/missing-value.ts";

/** The place of a value in the entities of a set, for errors. */
interface Place {
  readonly set: string;
  /** The keys of the enclosing complex properties, each with a dot. */
  readonly path: string;
}

/**
 * Returns a frozen copy of a loaded entity for rules. To read an ignored value that the handlers did not return is an error,
 * unless it may be null.
 * @param entity in canonical form
 * @see docs/guides/authorization.md
 */
export function loadedCopy({ name, entityType }: EntitySet, entity: object): object {
  return copyMembers(entityType, entity, { set: name, path: "" });
}

function copyMembers(type: EntityType | ComplexType, owner: object, place: Place): object {
  const { properties, ignoredProperties } = type;
  const byField = new Map([...properties, ...ignoredProperties].map((property) => [property.field, property]));
  const members = Object.entries(owner).map(([field, value]) => [field, copyOf(byField.get(field), value, place)]);
  const copy = Object.fromEntries(members) as object;
  for (const { field, nullable, isCollection } of ignoredProperties) {
    if (Object.hasOwn(copy, field) || (nullable && !isCollection)) continue;
    const message = `The handlers of ${place.set} return no \`${place.path}${field}\`, which a rule reads.`;
    defineMissing(copy, field, message);
  }
  return Object.freeze(copy);
}

function copyOf(property: StructuralProperty | undefined, value: unknown, { set, path }: Place): unknown {
  const type = property?.type;
  if (property === undefined || type?.kind !== "ComplexType") return frozenCopy(value);
  const below: Place = { set, path: `${path}${property.field}.` };
  const copyItem = (item: unknown): unknown =>
    typeof item === "object" && item !== null ? copyMembers(type, item, below) : item;
  return Array.isArray(value) ? Object.freeze(value.map(copyItem)) : copyItem(value);
}
