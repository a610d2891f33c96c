import type { EntitySet, NavigationProperty, StructuralProperty } from "../edm/model.ts";

/** Two properties that have equal values because their entities are related. */
export interface NestedLink {
  /** Of the entity whose value follows from the other. */
  readonly dependent: StructuralProperty;
  /** Of the entity that decides. */
  readonly principal: StructuralProperty;
}

/** What a nested value of a navigation property says about values of the two entities. */
export interface NestedLinks {
  /** Where the related entity follows from the one that it is nested in, such as the lines of an order. */
  readonly ofRelated: readonly NestedLink[];
  /** Where the entity follows from the one nested in it, such as an order that names its customer. */
  readonly ofOwner: readonly NestedLink[];
}

/**
 * Finds the values that an entity need not state where it is nested in another, or another in it: whoever creates the
 * two fills them in.
 * @param source the set that the navigation starts from, where it is known: it may say how entities are joined
 * @see specification, Deep insert and `@odata.bind`; OData Protocol 4.0, section 11.4.2.2
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
