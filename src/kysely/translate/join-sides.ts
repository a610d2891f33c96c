import type { NavigationJoin, NavigationProperty, StructuralProperty } from "../../edm/model.ts";

/** The properties of the entity that a navigation starts from, by which it is joined. */
export function ownProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return join.kind === "link" ? join.from.map(({ property }) => property) : join.pairs.map(({ property }) => property);
}

/** The properties of the related entity, in the order of the former. */
export function relatedProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return join.kind === "link" ? join.to.map(({ property }) => property) : join.pairs.map(({ related }) => related);
}

/** Whether a navigation leads along the key of the related entity, so that this side has the values that refer to it. */
export function refersToKey({ entityType }: NavigationProperty, join: NavigationJoin): boolean {
  if (join.kind === "link") return false;
  return entityType.key.every(({ field }) => join.pairs.some(({ related }) => related.field === field));
}
