import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keyHolderOf, keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import type { EntitySet, JoinPair, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { GuardedReference } from "./authorization.ts";

/** Values by field. */
type Values = Readonly<Record<string, unknown>>;

/** The parts of a set that its writes are judged by. */
interface GuardedSet {
  readonly entitySet: EntitySet;
  readonly guardedReferences: readonly GuardedReference[];
}

/** A link of a written entity to another entity, whose values it repeats. */
export interface EntityLink {
  /** The set of the other entity. */
  readonly target: EntitySet;
  /** The properties of the written entity, each with the property of the other entity that has the same value. */
  readonly pairs: readonly JoinPair[];
  /** The values of the other entity by field, as far as they are known. */
  readonly values: object;
}

/**
 * Returns the end of a link with the foreign key, the other end, and the pairs of both.
 * @param own the end from which the navigation starts
 */
export function linkEnds<T>(
  entitySet: EntitySet,
  navigation: NavigationProperty,
  own: T,
  other: T,
): { readonly written: T; readonly from: T; readonly pairs: readonly JoinPair[] } {
  const pairs = keyPairsOf(entitySet, navigation);
  return keyHolderOf(entitySet, navigation) === "parent"
    ? { written: own, from: other, pairs }
    : { written: other, from: own, pairs: reversedPairs(pairs) };
}

/** The position of an entity in a body, and its links. */
export interface Nesting {
  /** The path in the body, with a trailing slash; empty for the body itself. */
  readonly place: string;
  /** The link to the entity that a new entity belongs to; null without one. */
  readonly parent: EntityLink | null;
  /** The other links from which values of the entity follow. */
  readonly links: readonly EntityLink[];
}

/** An entity that a write states. */
export interface WrittenEntity<S = GuardedSet> extends Nesting {
  readonly set: S;
  /** The values, by the application's fields. */
  readonly entity: object;
}

/** The position of a body that is not nested. */
export const ALONE: Nesting = Object.freeze({ place: "", parent: null, links: [] });

/**
 * Returns an entity with the entities that are nested in it, in the order in which they are added: each after the
 * entities that it refers to, and before its dependents.
 * @param targetOf returns the target set of a navigation
 * @see OData Protocol 4.0, section 11.4.2.2
 */
export function entitiesWithin<S extends Pick<GuardedSet, "entitySet">>(
  written: WrittenEntity<S>,
  targetOf: (set: S, navigation: string) => S | null | undefined,
): readonly WrittenEntity<S>[] {
  const { set, entity, place } = written;
  const before: WrittenEntity<S>[] = [];
  const behind: WrittenEntity<S>[] = [];
  const links = [...written.links];
  for (const navigation of set.entitySet.navigationProperties.values()) {
    const items = nestedItems(entity, navigation);
    const target = items.length === 0 ? null : (targetOf(set, navigation.name) ?? null);
    if (target === null) continue;
    const isPrincipal = keyHolderOf(set.entitySet, navigation) === "parent";
    const list = isPrincipal ? before : behind;
    const pairs = keyPairsOf(set.entitySet, navigation);
    const parent = { target: set.entitySet, pairs: isPrincipal ? [] : reversedPairs(pairs), values: entity };
    for (const [index, item] of items.entries()) {
      const here = `${place}${navigation.name}/${navigation.isCollection ? `${String(index)}/` : ""}`;
      const nested = { set: target, entity: item, place: here, parent, links: [] };
      for (const each of entitiesWithin(nested, targetOf)) list.push(each);
      if (isPrincipal) links.push({ target: target.entitySet, pairs, values: item });
    }
  }
  return [...before, { ...written, links }, ...behind];
}

/** Returns the entities that a body contains for a navigation. */
export function nestedItems(entity: object, { field }: Pick<NavigationProperty, "field">): readonly object[] {
  const value = ownValue(entity, field);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === "object" && item !== null);
}

/** A foreign key that a write states. */
export interface StatedReference {
  readonly reference: GuardedReference;
  /** The entity with the values that follow from its links. */
  readonly entity: object;
  /** The name of a property, with the path of its entity in the body; undefined if clients see none of them. */
  readonly name: string | undefined;
}

/**
 * Returns the foreign keys to sets with row rules that a write states for an entity, or changes with its links. A link
 * itself is not one of them: the entity on its other side is known to be visible, or created along with this one. Neither
 * are foreign keys of a new entity that repeat values of its parent alone, such as its tenant.
 */
export function statedReferences({
  set,
  entity,
  place,
  parent,
  links: others,
}: WrittenEntity): readonly StatedReference[] {
  const links = parent === null ? others : [parent, ...others];
  const known = links.length === 0 ? entity : { ...entity, ...linkedValues(links) };
  const follows = (property: StructuralProperty): boolean => links.some((link) => repeats(link, property));
  return set.guardedReferences.flatMap((reference): readonly StatedReference[] => {
    const stated = statedProperties(reference, entity);
    const isTouched = stated.length > 0 || reference.pairs.some(({ property }) => follows(property));
    const isNested = nestedItems(entity, reference.navigationProperty).length > 0;
    if (!isTouched || isNested || links.some((link) => isSameReference(link, reference))) return [];
    if (parent !== null && reference.pairs.every(({ property }) => repeats(parent, property))) return [];
    const { properties } = reference.entitySet.entityType;
    // A link may write a property that clients do not see.
    const shown = reference.pairs.map(({ property }) => property).filter((property) => properties.includes(property));
    const own = stated.find((property) => !follows(property)) ?? stated[0];
    const named = own ?? shown.find(follows) ?? shown[0];
    return [{ reference, entity: known, name: named === undefined ? undefined : place + named.name }];
  });
}

function repeats({ pairs }: EntityLink, property: StructuralProperty): boolean {
  return pairs.some((pair) => pair.property === property);
}

/** Returns the values that follow from links, by the fields of the entity itself. */
function linkedValues(links: readonly EntityLink[]): Values {
  const known = links.flatMap(({ pairs, values }) =>
    pairs.map(({ property, related }) => [property.field, ownValue(values, related.field)] as const),
  );
  return Object.fromEntries(known.filter(([, value]) => value !== undefined && value !== null));
}

/** Returns the properties of a foreign key that are present in a body. */
export function statedProperties({ pairs, entitySet }: GuardedReference, given: object): readonly StructuralProperty[] {
  return pairs.flatMap(({ property }) => {
    const isOwn = !property.computed && entitySet.entityType.properties.includes(property);
    return isOwn && ownValue(given, property.field) !== undefined ? [property] : [];
  });
}

/** Whether two foreign keys of a set are the same. */
export function isSameReference(
  one: Pick<GuardedReference, "target" | "pairs">,
  other: Pick<GuardedReference, "target" | "pairs">,
): boolean {
  if (one.target !== other.target || one.pairs.length !== other.pairs.length) return false;
  return one.pairs.every(({ property, related }) =>
    other.pairs.some((pair) => pair.property === property && pair.related === related),
  );
}

/** The entities around a foreign key. */
export interface ReferenceScope {
  /**
   * Returns the entity as it is now, in canonical form; an empty object for a new one. Null for a missing one, whose
   * write fails for that reason.
   */
  readonly current: () => Maybe<object | null>;
  /** Whether the write creates the entity of a set with these values, before the entity or as the entity itself. */
  readonly isCreated?: (target: EntitySet, values: Values) => boolean;
}

/**
 * Returns a function that finds an entity of a write by values that include its key. Entities are indexed on first use.
 * @returns the position; -1 without such an entity
 */
export function positionsOf(
  all: readonly { readonly set: Pick<GuardedSet, "entitySet">; readonly entity: object }[],
): (target: EntitySet, values: Values) => number {
  let byKey: Map<string, number> | undefined;
  const textOf = ({ name, entityType }: EntitySet, entity: object): string =>
    JSON.stringify([name, ...entityType.key.map(({ field }) => String(ownValue(entity, field)))]);
  return (target, values) => {
    byKey ??= new Map(all.map(({ set, entity }, index) => [textOf(set.entitySet, entity), index]));
    const position = byKey.get(textOf(target, values)) ?? -1;
    const found = all[position]?.entity ?? {};
    return Object.entries(values).every(([field, value]) => ownValue(found, field) === value) ? position : -1;
  };
}

/** Returns the current values of an entity that is created. */
export const isNew = (): object => ({});

/**
 * Judges a foreign key that a write states. A hidden entity looks like a missing one. An unchanged foreign key reveals
 * nothing, so clients can write a body as they read it.
 * @param isSeen whether the user sees the entity with these values, by its fields
 * @returns the refusal, `Conflict` with the property as target; null if the foreign key may be written
 * @throws the errors of `isSeen` and `current`
 * @see docs/reference/writing.md
 */
export function judgeReference(
  { reference, entity, name }: StatedReference,
  { current, isCreated }: ReferenceScope,
  isSeen: (values: Values) => Maybe<boolean>,
): Maybe<ODataError | null> {
  const isWhole = reference.pairs.every(({ property }) => ownValue(entity, property.field) !== undefined);
  return chain(isWhole ? undefined : current(), (partial) => {
    const values = partial === null ? null : referredValues(reference, entity, partial);
    if (values === null || isCreated?.(reference.target, values) === true) return null;
    return chain(isSeen(values), (seen) => {
      if (seen) return null;
      return chain(partial ?? current(), (known) =>
        known === null || isKept(reference, entity, known) ? null : missingReference(name),
      );
    });
  });
}

/**
 * Returns the values of a foreign key, by the fields of the entity that it refers to.
 * @param known the values that the write does not state
 * @returns null if a value is null or unknown: the foreign key then refers to no entity
 */
export function referredValues(
  { pairs }: Pick<GuardedReference, "pairs">,
  entity: object,
  known: object = {},
): Values | null {
  const values = pairs.map(({ property: { field }, related }) => {
    const stated = ownValue(entity, field);
    return [related.field, (stated === undefined ? ownValue(known, field) : stated) ?? null] as const;
  });
  return values.some(([, value]) => value === null) ? null : Object.fromEntries(values);
}

function isKept({ pairs }: GuardedReference, entity: object, known: object): boolean {
  return pairs.every(({ property: { field } }) => {
    const value = ownValue(entity, field);
    return value === undefined || value === (ownValue(known, field) ?? null);
  });
}

function ownValue(entity: object, field: string): unknown {
  return Object.hasOwn(entity, field) ? (entity as Values)[field] : undefined;
}

/** Makes the error for a foreign key to a missing or a hidden entity. Clients must not be able to distinguish the two. */
export function missingReference(target: string | undefined, hint: string = "", cause?: unknown): ODataError {
  const message = `This value refers to an entity that does not exist. Create the entity first, or use another value.${hint}`;
  return protocolError("Conflict", message, { target, cause });
}
