import type { EntitySet, NavigationProperty, StructuralProperty } from "../edm/model.ts";

/** Two properties with equal values in related entities. */
export interface NestedLink {
  /** The property whose value depends on the other. */
  readonly dependent: StructuralProperty;
  /** The property that determines the value. */
  readonly principal: StructuralProperty;
}

/** The values that a nested entity and its owner share. */
export interface NestedLinks {
  /** Values of the related entity that depend on its owner, such as the order of a line. */
  readonly ofRelated: readonly NestedLink[];
  /** Values of the owner that depend on the nested entity, such as the customer of an order. */
  readonly ofOwner: readonly NestedLink[];
}

/**
 * Finds the values that a body may omit because of nesting. The code that creates both entities sets them.
 * @param source the set of the navigation, which may declare a join; null if it is unknown
 * @see OData Protocol 4.0, section 11.4.2.2
 */
export function nestedLinksOf(source: EntitySet | null, navigation: NavigationProperty): NestedLinks {
  const { entityType: related, referentialConstraints: constraints, isCollection, name } = navigation;
  if (!isCollection && constraints.length > 0) {
    const ofOwner = constraints.map(({ property, referencedProperty }) => ({
      dependent: property,
      principal: referencedProperty,
    }));
    return { ofRelated: [], ofOwner };
  }
  const join = source?.navigationJoins.get(name);
  if (join?.kind === "direct") {
    const ofRelated = join.pairs.map((pair) => ({ dependent: pair.related, principal: pair.property }));
    return { ofRelated, ofOwner: [] };
  }
  const partner = related.navigationProperties.find((each) => each.name === navigation.partner);
  const ofRelated = (partner?.referentialConstraints ?? []).map(({ property, referencedProperty }) => ({
    dependent: property,
    principal: referencedProperty,
  }));
  return { ofRelated, ofOwner: [] };
}
