import { refersToKey } from "../../edm/key-holder.ts";
import type { EntitySet, JoinPair, NavigationProperty } from "../../edm/model.ts";
import { type ODataError, protocolError } from "../../errors/odata-error.ts";

/** A foreign key that clients write as properties, and that refers to a set with a row rule. */
export interface GuardedReference {
  readonly navigationProperty: NavigationProperty;
  /** The set that holds the foreign key. */
  readonly entitySet: EntitySet;
  /** The set that it refers to. */
  readonly target: EntitySet;
  /** The properties of the foreign key, each with the property of the related entity that it repeats. */
  readonly pairs: readonly JoinPair[];
}

/**
 * Returns the foreign keys of a set that refer to sets with row rules. A navigation from key to key is none: nothing
 * says which of the two entities depends on the other.
 * @param setOf finds the set of a name, as far as it has a row rule
 */
export function guardedReferencesOf(
  entitySet: EntitySet,
  setOf: (name: string) => EntitySet | undefined,
): readonly GuardedReference[] {
  const { navigationProperties, navigationJoins, navigationPropertyBindings, entityType } = entitySet;
  const found = [...navigationProperties.values()].flatMap((navigationProperty): readonly GuardedReference[] => {
    const { name, isCollection } = navigationProperty;
    const join = navigationJoins.get(name);
    const target = setOf(navigationPropertyBindings.get(name) ?? "");
    if (target === undefined || isCollection || join?.kind !== "direct") return [];
    if (!refersToKey(navigationProperty, join)) return [];
    const isShared = entityType.key.every((key) => join.pairs.some(({ property }) => property === key));
    const isWritten = join.pairs.some(({ property }) => entityType.properties.includes(property) && !property.computed);
    return isShared || !isWritten ? [] : [Object.freeze({ navigationProperty, entitySet, target, pairs: join.pairs })];
  });
  return Object.freeze(found);
}

/** Values by the application's fields. */
type Values = Readonly<Record<string, unknown>>;

/** Returns the properties of a foreign key that a body states. */
export function statedPairs({ pairs, entitySet }: GuardedReference, given: object): readonly JoinPair[] {
  return pairs.filter(({ property }) => {
    const isOwn = !property.computed && entitySet.entityType.properties.includes(property);
    return isOwn && Object.hasOwn(given, property.field) && (given as Values)[property.field] !== undefined;
  });
}

/**
 * Returns the values of a foreign key by the fields of the related entity.
 * @returns null where one of them is null or not known: then it refers to nothing
 */
export function referredValues({ pairs }: GuardedReference, entity: object): Values | null {
  const values = pairs.map(
    ({ property, related }) => [related.field, (entity as Values)[property.field] ?? null] as const,
  );
  return values.some(([, value]) => value === null) ? null : Object.fromEntries(values);
}

/** Returns the key of the related entity in the application's form. */
export function referredKey({ target }: GuardedReference, values: Values): unknown {
  const { key } = target.entityType;
  const [single] = key;
  if (single !== undefined && key.length === 1) return values[single.field];
  return Object.freeze(Object.fromEntries(key.map(({ field }) => [field, values[field]])));
}

/** The error for a foreign key whose entity is missing or hidden: both look alike, with or without a constraint. */
export function missingReference(target: string | undefined, hint: string = "", cause?: unknown): ODataError {
  const message = `There is no entity that this value refers to: create that first, or name another.${hint}`;
  return protocolError("Conflict", message, { target, cause });
}
