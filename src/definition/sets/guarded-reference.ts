import { refersToKey, keyHolderOf } from "../../edm/key-holder.ts";
import type { EntitySet, JoinPair, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { type ODataError, protocolError } from "../../errors/odata-error.ts";

/** A foreign key that clients can write and that refers to a set with a row rule. */
export interface GuardedReference {
  readonly navigationProperty: NavigationProperty;
  /** The set with the foreign key. */
  readonly entitySet: EntitySet;
  /** The set that the foreign key refers to. */
  readonly target: EntitySet;
  /** The properties of the foreign key, each with the property of the related entity that has the same value. */
  readonly pairs: readonly JoinPair[];
}

/**
 * Returns the foreign keys of a set that refer to sets with row rules. A navigation of either side declares a foreign
 * key. A navigation from key to key does not: neither entity is known to depend on the other.
 * @param guarded the sets with row rules
 */
export function guardedReferencesOf(entitySet: EntitySet, guarded: readonly EntitySet[]): readonly GuardedReference[] {
  const own = [...entitySet.navigationProperties.values()].flatMap(
    (navigationProperty): readonly GuardedReference[] => {
      const { name, isCollection } = navigationProperty;
      const join = entitySet.navigationJoins.get(name);
      const target = guarded.find((each) => each.name === entitySet.navigationPropertyBindings.get(name));
      if (target === undefined || isCollection || join?.kind !== "direct") return [];
      return refersToKey(navigationProperty, join)
        ? [{ navigationProperty, entitySet, target, pairs: join.pairs }]
        : [];
    },
  );
  const inverse = guarded
    .flatMap((target) => inverseReferences(entitySet, target))
    .filter((reference) => !own.some((each) => isSame(each, reference)));
  const isWritten = ({ property }: JoinPair): boolean =>
    entitySet.entityType.properties.includes(property) && !property.computed;
  const isShared = ({ pairs }: GuardedReference): boolean =>
    entitySet.entityType.key.every((key) => pairs.some(({ property }) => property === key));
  const found = [...own, ...inverse].filter((each) => each.pairs.some(isWritten) && !isShared(each));
  return Object.freeze(found.map((each) => Object.freeze(each)));
}

/** Returns the foreign keys that navigations of the target set declare, as navigations of the set itself. */
function inverseReferences(entitySet: EntitySet, target: EntitySet): readonly GuardedReference[] {
  const { navigationProperties, navigationJoins, navigationPropertyBindings, entityType } = target;
  return [...navigationProperties.values()].flatMap((navigation): readonly GuardedReference[] => {
    const join = navigationJoins.get(navigation.name);
    // Without a target set a navigation leads to every set of the type.
    const named = navigationPropertyBindings.get(navigation.name);
    const isInto = named === undefined ? navigation.entityType === entitySet.entityType : named === entitySet.name;
    if (!isInto || join?.kind !== "direct" || keyHolderOf(target, navigation) !== "related") return [];
    if (!entityType.key.every((key) => join.pairs.some(({ property }) => property === key))) return [];
    const pairs = join.pairs.map(({ property, related }) => ({ property: related, related: property }));
    // Names of properties contain no slash, so no entity is nested under this navigation.
    const name = `${target.name}/${navigation.name}`;
    const navigationProperty = { ...navigation, name, field: name, entityType, isCollection: false };
    const navigationJoin = { kind: "direct", pairs } as const;
    const owner = { ...entitySet, navigationJoins: new Map([[name, navigationJoin]]) };
    return [{ navigationProperty, entitySet: owner, target, pairs }];
  });
}

function isSame(one: GuardedReference, other: GuardedReference): boolean {
  if (one.target !== other.target || one.pairs.length !== other.pairs.length) return false;
  return one.pairs.every(({ property, related }) =>
    other.pairs.some((pair) => pair.property === property && pair.related === related),
  );
}

/** Values by field. */
type Values = Readonly<Record<string, unknown>>;

/** Returns the properties of a foreign key that are present in a body. */
export function statedPairs({ pairs, entitySet }: GuardedReference, given: object): readonly JoinPair[] {
  return pairs.filter(({ property }) => {
    const isOwn = !property.computed && entitySet.entityType.properties.includes(property);
    return isOwn && Object.hasOwn(given, property.field) && (given as Values)[property.field] !== undefined;
  });
}

/**
 * Returns the values of a foreign key by the fields of the related entity.
 * @returns null if a value is null or unknown: the foreign key then refers to no entity
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

/** Whether the related entity is created along with the entity in a body. */
export function isNested({ navigationProperty: { field } }: GuardedReference, given: object): boolean {
  const nested = ownValue(given, field);
  return typeof nested === "object" && nested !== null;
}

/** Whether a change keeps a foreign key. An unchanged one reveals nothing, so clients can write a body as they read it. */
export function keepsReference({ pairs }: GuardedReference, changes: object, current: object): boolean {
  return pairs.every(({ property: { field } }) => {
    const value = ownValue(changes, field);
    return value === undefined || value === (ownValue(current, field) ?? null);
  });
}

function ownValue(entity: object, field: string): unknown {
  return Object.hasOwn(entity, field) ? (entity as Values)[field] : undefined;
}

/** Returns the properties of the related entity in a foreign key that are not part of its key. */
export function besideKey({ pairs, target }: GuardedReference): readonly StructuralProperty[] {
  return pairs.flatMap(({ related }) => (target.entityType.key.includes(related) ? [] : [related]));
}

/** Whether an entity has these values. @param values by field, as of `referredValues` */
export function hasValues(entity: object, properties: readonly StructuralProperty[], values: Values): boolean {
  return properties.every(({ field }) => (entity as Values)[field] === values[field]);
}

/** Makes the error for a foreign key to a missing or a hidden entity. Clients must not be able to distinguish the two. */
export function missingReference(target: string | undefined, hint: string = "", cause?: unknown): ODataError {
  const message = `This value refers to an entity that does not exist. Create the entity first, or use another value.${hint}`;
  return protocolError("Conflict", message, { target, cause });
}
