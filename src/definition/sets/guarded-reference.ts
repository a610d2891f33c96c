import { refersToKey, keyHolderOf, reversedPairs } from "../../edm/key-holder.ts";
import type { EntitySet, JoinPair } from "../../edm/model.ts";
import type { GuardedReference } from "./authorization.ts";
import { isSameReference } from "./judge-references.ts";

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
    .filter((reference) => !own.some((each) => isSameReference(each, reference)));
  // Links write ignored properties, too.
  const isWritten = ({ property }: JoinPair): boolean => !property.computed;
  const isShared = ({ pairs }: GuardedReference): boolean =>
    entitySet.entityType.key.every((key) => pairs.some(({ property }) => property === key));
  const found = [...own, ...inverse].filter((each) => each.pairs.some(isWritten) && !isShared(each));
  return Object.freeze(found.map((each) => Object.freeze(each)));
}

/** Returns the foreign keys that navigations of the target set declare, as navigations of the set itself. */
export function inverseReferences(entitySet: EntitySet, target: EntitySet): readonly GuardedReference[] {
  const { navigationProperties, navigationJoins, navigationPropertyBindings, entityType } = target;
  return [...navigationProperties.values()].flatMap((navigation): readonly GuardedReference[] => {
    const join = navigationJoins.get(navigation.name);
    // Without a target set a navigation leads to every set of the type.
    const named = navigationPropertyBindings.get(navigation.name);
    const isInto = named === undefined ? navigation.entityType === entitySet.entityType : named === entitySet.name;
    if (!isInto || join?.kind !== "direct" || keyHolderOf(target, navigation) !== "related") return [];
    if (!entityType.key.every((key) => join.pairs.some(({ property }) => property === key))) return [];
    const pairs = reversedPairs(join.pairs);
    // Names of properties contain no slash, so no entity is nested under this navigation.
    const name = `${target.name}/${navigation.name}`;
    const navigationProperty = { ...navigation, name, field: name, entityType, isCollection: false };
    const navigationJoin = { kind: "direct", pairs } as const;
    const owner = { ...entitySet, navigationJoins: new Map([[name, navigationJoin]]) };
    return [{ navigationProperty, entitySet: owner, target, pairs }];
  });
}
