import type { NavigationJoin, StructuralProperty } from "../../edm/model.ts";

/** The properties of the entity that a navigation starts from, by which it is joined. */
export function ownProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return join.kind === "link" ? join.from.map(({ property }) => property) : join.pairs.map(({ property }) => property);
}

/** The properties of the related entity, in the order of the former. */
export function relatedProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return join.kind === "link" ? join.to.map(({ property }) => property) : join.pairs.map(({ related }) => related);
}
