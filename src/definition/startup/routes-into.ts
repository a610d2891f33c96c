import {
  type DeclaredNavigation,
  type DeclaredSet,
  entriesOf,
  namesOf,
  propertyIn,
} from "../model/declared-service.ts";
import { isObject } from "../option-table.ts";
import type { Category } from "../rules/authorization.ts";
import { asksTargetOf, setsAlong } from "./navigation-authorization.ts";
import { navigationHandlersOf } from "./navigation-handlers.ts";

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
