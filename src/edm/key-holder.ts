import type {
  DirectJoin,
  EntitySet,
  JoinPair,
  NavigationJoin,
  NavigationProperty,
  StructuralProperty,
} from "./model.ts";

/** The end of the annotation of a navigation property that links to existing entities. @see OData JSON Format 4.0, section 8.5 */
export const BIND = "@odata.bind";

/**
 * The place of the values that relate two entities: the entity that a navigation starts from, the related entity, or a
 * table of links. `unknown`: neither `on` nor `through` nor the partner declares it, or `on` names no key and either side
 * could refer to the other.
 */
export type KeyHolder = "parent" | "related" | "links" | "unknown";

/** Returns the side of a navigation with the foreign key. Writing a link changes the row of that side. */
export function keyHolderOf(entitySet: EntitySet, navigation: NavigationProperty): KeyHolder {
  const join = entitySet.navigationJoins.get(navigation.name);
  if (join?.kind === "link") return "links";
  if (join !== undefined) return holderOfJoin(entitySet, navigation, join);
  if (navigation.referentialConstraints.length > 0) return "parent";
  return partnerPairs(navigation).length > 0 ? "related" : "unknown";
}

/**
 * Returns the side of a single-valued navigation that refers to the other: to its key, or else as the partner has it. Without
 * either, the own values refer to the related entity, as in a referential constraint, if they are as optional as the link.
 * @see OData CSDL 4.0, section 7.2
 */
function holderOfJoin({ entityType }: EntitySet, navigation: NavigationProperty, join: DirectJoin): KeyHolder {
  if (navigation.isCollection) return "related";
  if (refersToKey(navigation, join)) return "parent";
  const isOfKey = entityType.key.every(({ field }) => join.pairs.some(({ property }) => property.field === field));
  if (isOfKey) return "related";
  const back = navigation.entityType.navigationProperties.find(
    ({ name, partner, entityType: from }) =>
      name === navigation.partner || (partner === navigation.name && from === entityType),
  );
  if (back?.isCollection === true) return "parent";
  if (back !== undefined && back.nullable !== navigation.nullable) return navigation.nullable ? "related" : "parent";
  const own = join.pairs.map(({ property }) => property).filter(({ serverSet }) => serverSet !== true);
  const isAsOptional = own.some(({ nullable, isKey }) => nullable && !isKey) === navigation.nullable;
  return back === undefined && own.length > 0 && isAsOptional ? "parent" : "unknown";
}

/** Describes a navigation whose side with the foreign key is unknown. */
export function unknownHolder({ name }: EntitySet, navigation: NavigationProperty): string {
  return `The service does not know which entity of the link '${navigation.name}' of ${name} refers to the other: write the property with the reference itself.`;
}

/** Returns the pairs of properties that relate two entities: those of `on`, or else those of the partner. */
export function keyPairsOf({ navigationJoins }: EntitySet, navigation: NavigationProperty): readonly JoinPair[] {
  const join = navigationJoins.get(navigation.name);
  if (join !== undefined) return join.kind === "direct" ? join.pairs : [];
  const own = navigation.referentialConstraints;
  if (own.length > 0) return own.map(({ property, referencedProperty }) => ({ property, related: referencedProperty }));
  return partnerPairs(navigation);
}

/** Returns pairs of properties as the entity on the other side has them. */
export function reversedPairs(pairs: readonly JoinPair[]): readonly JoinPair[] {
  return pairs.map(({ property, related }) => ({ property: related, related: property }));
}

/** Returns the pairs of the partner, which references the key of the entity that the navigation starts from. */
function partnerPairs({ entityType, partner }: NavigationProperty): readonly JoinPair[] {
  const back = entityType.navigationProperties.find(({ name }) => name === partner);
  return (back?.referentialConstraints ?? []).map(({ property, referencedProperty }) => ({
    property: referencedProperty,
    related: property,
  }));
}

/** Returns whether a join references the key of the related entity, so that this side of a single-valued one has the foreign key. */
export function refersToKey({ entityType }: NavigationProperty, join: NavigationJoin): boolean {
  if (join.kind === "link") return false;
  return entityType.key.every(({ field }) => join.pairs.some(({ related }) => related.field === field));
}

/** Returns the properties of the entity that a navigation starts from, by which it is joined. */
export function ownProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return join.kind === "link" ? join.from.map(({ property }) => property) : join.pairs.map(({ property }) => property);
}

/** Returns the properties of the related entity by which it is joined; for `on`, in the order of `ownProperties`. */
export function relatedProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return join.kind === "link" ? join.to.map(({ property }) => property) : join.pairs.map(({ related }) => related);
}
