import type { NavigationHandlers, OfferedHandler } from "../handlers.ts";
import {
  type DeclaredNavigation,
  type DeclaredSet,
  entriesOf,
  namesOf,
  propertyIn,
} from "../model/declared-service.ts";
import { isObject, pickStated } from "../option-table.ts";
import {
  type Category,
  type AuthorizationRequirement,
  type NavigationAuthorization,
  resolveCategories,
} from "../sets/authorization.ts";

/** A route that addresses one entity of a set, and its category. */
export interface EntityRoute {
  readonly category: Category;
  readonly route: string;
  readonly method: string;
}

/** A navigation, and the set that declares it. */
export interface NavigationInto {
  readonly from: DeclaredSet;
  readonly navigation: DeclaredNavigation;
}

/** Returns the navigations that name a set as their target. */
export function navigationsInto({ name }: DeclaredSet, sets: readonly DeclaredSet[]): readonly NavigationInto[] {
  return everyNavigation(sets).filter(({ navigation }) => navigation.options["target"] === name);
}

/** Returns the navigations along which the rules of a set apply. */
export function askingNavigations(set: DeclaredSet, sets: readonly DeclaredSet[]): readonly NavigationInto[] {
  return everyNavigation(sets).filter(
    ({ navigation }) => asksTargetOf(navigation) && setsAlong(navigation, sets).includes(set),
  );
}

/** Returns the routes of other sets that load one entity of a set by its key to check its rules. */
export function* judgingRoutes(set: DeclaredSet, sets: readonly DeclaredSet[]): Iterable<EntityRoute> {
  for (const { from, navigation } of askingNavigations(set, sets)) {
    const path = `/${from.name}({key})/${navigation.name}`;
    if (navigation.declaration.cardinality !== "many") yield { category: "read", route: path, method: "GET" };
    const changed = relatedHoldsKey(navigation, sets);
    for (const { route, method } of linkRoutes({ from, navigation }, sets)) {
      yield { category: "read", route, method };
      if (changed) yield { category: "update", route, method };
    }
  }
}

/** Returns the routes that write links along a navigation. */
export function linkRoutes({ from, navigation }: NavigationInto, sets: readonly DeclaredSet[]): readonly EntityRoute[] {
  const routes = navigationRoutes(`/${from.name}({key})/${navigation.name}`, navigationHandlersOf(navigation, sets));
  return [...routes].filter(({ route }) => route.endsWith("/$ref"));
}

/** Returns the routes along a navigation, each with the category of the set that declares it. */
export function* navigationRoutes(route: string, handlers: Readonly<Record<string, unknown>>): Iterable<EntityRoute> {
  const has = (name: string): boolean => handlers[name] !== undefined;
  if (has("get") || has("getBatch")) yield { category: "read", route, method: "GET" };
  if (has("create")) yield { category: "create", route, method: "POST" };
  if (has("addRef")) yield { category: "create", route: `${route}/$ref`, method: "POST" };
  if (has("setRef")) yield { category: "update", route: `${route}/$ref`, method: "PUT" };
  if (has("removeRef")) yield { category: "update", route: `${route}/$ref`, method: "DELETE" };
}

/** Returns whether the related entities of a navigation contain the foreign key, as `keyHolderOf` does for a model. */
export function relatedHoldsKey(navigation: DeclaredNavigation, sets: readonly DeclaredSet[]): boolean {
  const { declaration, options, target } = navigation;
  if (isObject(options["through"]) || target === undefined) return false;
  const isOne = declaration.cardinality !== "many";
  if (entriesOf(options["on"]).length > 0) return !(isOne && namesKey(navigation));
  return everyNavigation(sets).some(({ from, navigation: partner }) => {
    const leadsBack = from.entityType === target && partner.field === options["partner"];
    return leadsBack && partner.declaration.cardinality !== "many" && namesKey(partner);
  });
}

/** Returns whether `on` names the whole key of the related type. */
function namesKey({ target, options }: DeclaredNavigation): boolean {
  if (target === undefined) return false;
  const related = entriesOf(options["on"]).map(([, to]) => to);
  const keys = namesOf(target.properties).filter((field) => propertyIn(target, field)?.key === true);
  return related.length > 0 && keys.every((key) => related.includes(key));
}

/** Returns the navigations of all sets. */
export function everyNavigation(sets: readonly DeclaredSet[]): readonly NavigationInto[] {
  return sets.flatMap((from) => from.navigations.map((navigation) => ({ from, navigation })));
}

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

const NAVIGATION_HANDLERS = [
  "get",
  "getBatch",
  "create",
  "addRef",
  "setRef",
  "removeRef",
] as const satisfies ReadonlyArray<keyof NavigationHandlers<never>>;

/**
 * Returns the handlers of a navigation, without handlers of the framework that cannot work with its target set.
 * @param sets all sets of the registration
 */
export function navigationHandlersOf(
  { options }: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): Readonly<Record<string, unknown>> {
  const target = sets.find((each) => each.name === options["target"])?.options;
  return Object.fromEntries(
    Object.entries(pickStated(options, NAVIGATION_HANDLERS)).filter(([, handler]) => {
      const { isOffered } = Object(handler) as OfferedHandler;
      return isOffered === undefined || isOffered(target);
    }),
  );
}
