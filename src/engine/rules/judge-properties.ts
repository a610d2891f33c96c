import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { canonicalEntity } from "../entities/canonical-entity.ts";
import { asEntity } from "../memory/evaluation.ts";
import { refusalOfProperty, refusedProperties, type RuledUser } from "./property-access.ts";

/** Values by field, in canonical form. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the properties that keep their stored values if a client replaces an entity without them: properties that the user
 * may not change, and properties that the user does not see.
 * @see docs/guides/authorization.md
 */
export function keptProperties(ruled: RuledUser, entitySet: EntitySet): ReadonlySet<StructuralProperty> {
  const refused = refusedProperties(ruled, entitySet, "update");
  const unreadable = ruled.properties?.unreadableOf(entitySet) ?? NONE;
  if (refused.size === 0 && unreadable.size === 0) return NONE;
  return new Set([...refused, ...unreadable].filter(({ computed, immutable }) => !computed && !immutable));
}

const NONE: ReadonlySet<StructuralProperty> = new Set();

/**
 * Returns the properties in the changes of an entity that the user may not change: only their stored values are accepted,
 * because clients send whole rows.
 * @param changes the given values by field
 * @throws ODataError `Unauthorized`, `Forbidden`, target the property: for a property that the user does not see, whatever
 *   its value is
 * @see docs/guides/authorization.md
 */
export function comparedProperties(
  ruled: RuledUser,
  entitySet: EntitySet,
  changes: object,
): readonly StructuralProperty[] {
  const refused = refusedProperties(ruled, entitySet, "update");
  if (refused.size === 0) return [];
  const sent = [...refused].filter(({ field, immutable }) => !immutable && Object.hasOwn(changes, field));
  const unreadable = ruled.properties?.unreadableOf(entitySet) ?? NONE;
  const hidden = sent.find((property) => unreadable.has(property));
  if (hidden !== undefined) throw refusalOfProperty(ruled, "update", { property: hidden, owner: entitySet });
  return sent;
}

/** The changes of a stored entity. */
interface ChangedEntity {
  readonly changes: Record<string, unknown>;
  /** As returned by `comparedProperties`. */
  readonly compared: readonly StructuralProperty[];
  /** The entity as its handler returned it; undefined if it cannot be read. */
  readonly stored: unknown;
}

/**
 * Returns the changes without properties that the user may not change. They are never written, so a concurrent write of such a
 * property is not undone.
 * @throws ODataError `Unauthorized`, `Forbidden`, target the property: for another value than the stored one
 */
export function withoutCompared(
  ruled: RuledUser,
  entitySet: EntitySet,
  { changes, compared, stored }: ChangedEntity,
): Record<string, unknown> {
  if (compared.length === 0) return changes;
  const current = stored === undefined ? null : storedValues(entitySet, stored);
  for (const property of compared) {
    const { field } = property;
    if (current !== null && isSame(property, changes[field], current[field])) continue;
    throw refusalOfProperty(ruled, "update", { property, owner: entitySet });
  }
  const dropped = new Set(compared.map(({ field }) => field));
  return Object.fromEntries(Object.entries(changes).filter(([field]) => !dropped.has(field)));
}

/** Returns the values of a stored entity, in canonical form. */
export function storedValues({ entityType }: EntitySet, stored: unknown): Values {
  return canonicalEntity(entityType, asEntity(stored, entityType)) as Values;
}

/** Whether a given value equals the stored one. A complex value is compared by the members that it has. */
export function isSame(property: StructuralProperty, given: unknown, stored: unknown): boolean {
  if (!property.isCollection) return isSameItem(property, given, stored);
  const [items, current]: readonly unknown[] = [given ?? [], stored ?? []];
  if (!Array.isArray(items) || !Array.isArray(current) || items.length !== current.length) return false;
  return items.every((item, index) => isSameItem(property, item, current[index]));
}

function isSameItem(property: StructuralProperty, given: unknown, stored: unknown): boolean {
  if (given === null || given === undefined) return (stored ?? null) === null;
  if (stored === null || stored === undefined) return false;
  const { type } = property;
  if (type.kind === "ComplexType") return haveSameMembers(type, given as Values, stored as Values);
  const { compare, toText } = codecOf(property);
  const [left, right] = [given as PrimitiveValue, stored as PrimitiveValue];
  // NaN equals itself here.
  return compare(left, right) === 0 || toText(left) === toText(right);
}

function haveSameMembers({ properties }: EntityType | ComplexType, given: Values, stored: Values): boolean {
  return properties.every((member) => {
    const { field } = member;
    return !Object.hasOwn(given, field) || isSame(member, given[field], stored[field]);
  });
}
