import { frozenCopy } from "../base/frozen-copy.ts";
import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";

/** The place of a value in the entities of a set, for errors. */
interface Place {
  readonly set: string;
  /** The keys of the enclosing complex properties, each with a dot. */
  readonly path: string;
}

/**
 * Returns a frozen copy of a loaded entity for rules. To read an ignored value that the handlers did not return is an error,
 * unless it is a nullable property of the entity.
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
  for (const property of ignoredProperties) {
    const { field } = property;
    if (!Object.hasOwn(copy, field) && !mayBeAbsent(type, property)) defineMissing(copy, field, place);
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

/** Of complex values, a table reads no ignored members, so that an absent one may have any value. */
function mayBeAbsent({ kind }: EntityType | ComplexType, { nullable, isCollection }: StructuralProperty): boolean {
  return kind === "EntityType" && nullable && !isCollection;
}

/** Only rules that read the value fail; copies and comparisons of the whole entity do not see it. */
function defineMissing(owner: object, field: string, { set, path }: Place): void {
  Object.defineProperty(owner, field, {
    get: () => {
      throw new TypeError(`The handlers of ${set} return no \`${path}${field}\`, which a rule reads.`);
    },
  });
}
