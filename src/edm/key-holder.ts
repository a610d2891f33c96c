import type { EntitySet, JoinPair, NavigationJoin, NavigationProperty } from "./model.ts";

/**
 * Whose values say that two entities are related: those of the entity that a navigation starts from, those of the
 * related entity, or a table of links. `unknown`: neither `on`, `through` nor the partner says.
 */
export type KeyHolder = "parent" | "related" | "links" | "unknown";

/** Returns which side of a navigation holds the foreign key: writing a link changes the row of that side. */
export function keyHolderOf({ navigationJoins }: EntitySet, navigation: NavigationProperty): KeyHolder {
  const join = navigationJoins.get(navigation.name);
  if (join?.kind === "link") return "links";
  if (join !== undefined) return !navigation.isCollection && refersToKey(navigation, join) ? "parent" : "related";
  if (navigation.referentialConstraints.length > 0) return "parent";
  return partnerPairs(navigation).length > 0 ? "related" : "unknown";
}

/** Returns the properties by which a navigation relates two entities: those of `on`, else those of its partner. */
export function keyPairsOf({ navigationJoins }: EntitySet, navigation: NavigationProperty): readonly JoinPair[] {
  const join = navigationJoins.get(navigation.name);
  if (join !== undefined) return join.kind === "direct" ? join.pairs : [];
  const own = navigation.referentialConstraints;
  if (own.length > 0) return own.map(({ property, referencedProperty }) => ({ property, related: referencedProperty }));
  return partnerPairs(navigation);
}

/** Returns the properties of a related entity, and those that they repeat of the entity which a navigation starts from. */
export function linkedPairsOf(entitySet: EntitySet, navigation: NavigationProperty): readonly JoinPair[] {
  return keyHolderOf(entitySet, navigation) === "parent" ? [] : keyPairsOf(entitySet, navigation);
}

/** The partner leads along the key of the entity that the navigation starts from. */
function partnerPairs({ entityType, partner }: NavigationProperty): readonly JoinPair[] {
  const back = entityType.navigationProperties.find(({ name }) => name === partner);
  return (back?.referentialConstraints ?? []).map(({ property, referencedProperty }) => ({
    property: referencedProperty,
    related: property,
  }));
}

/** Whether a navigation leads along the key of the related entity, so that this side has the values that refer to it. */
export function refersToKey({ entityType }: NavigationProperty, join: NavigationJoin): boolean {
  if (join.kind === "link") return false;
  return entityType.key.every(({ field }) => join.pairs.some(({ related }) => related.field === field));
}
