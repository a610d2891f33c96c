import type { DeclaredNavigation, DeclaredSet } from "../model/declared-service.ts";
import {
  type AuthorizationRequirement,
  type Category,
  type NavigationAuthorization,
  resolveCategories,
} from "../rules/authorization.ts";

/**
 * Resolves the rules along a navigation. Without a target set, the rules of every set of the related type apply:
 * omitting `target` must not give access to more entities.
 * @see docs/guides/authorization.md
 */
export function navigationAuthorizationOf(
  navigation: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): NavigationAuthorization {
  const asksTarget = asksTargetOf(navigation);
  const all = asksTarget
    ? setsAlong(navigation, sets).map((set) => resolveCategories(set.options["authorization"]))
    : [];
  const of = (category: Category): readonly AuthorizationRequirement[] =>
    Object.freeze(all.flatMap((categories) => categories[category]));
  const { target: name } = navigation.options;
  return Object.freeze({
    asksTarget,
    target: Object.freeze({
      read: of("read"),
      create: of("create"),
      update: of("update"),
      delete: of("delete"),
      invoke: of("invoke"),
    }),
    targetName: typeof name === "string" ? name : (navigation.target?.name ?? navigation.name),
  });
}

/** Returns whether requests along a navigation also obey the rules of the target set. */
export function asksTargetOf({ options }: DeclaredNavigation): boolean {
  return options["authorization"] !== "parent";
}

/** Returns the target set of a navigation; without a target set, every set of the related type. */
export function setsAlong(
  { options, target }: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): readonly DeclaredSet[] {
  const { target: name } = options;
  if (typeof name === "string") return sets.filter((each) => each.name === name);
  return target === undefined ? [] : sets.filter((each) => each.entityType === target);
}
