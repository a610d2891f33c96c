import type { DeclaredService, DeclaredSet } from "../model/declared-service.ts";
import { isObject } from "../option-table.ts";
import { navigationHandlersOf, navigationsInto } from "./check-authorization.ts";

/** Returns whether entities of a set are created: by its handler, along navigations, and as nested entities at any depth. */
export function isCreated(set: DeclaredSet, service: DeclaredService): boolean {
  if (set.options["create"] !== undefined || isNested(set, service)) return true;
  const { sets } = service;
  return navigationsInto(set, sets).some(
    ({ navigation }) => navigationHandlersOf(navigation, sets)["create"] !== undefined,
  );
}

/** @param seen the sets between the nested entity and the body */
function isNested(set: DeclaredSet, service: DeclaredService, seen: ReadonlySet<DeclaredSet> = new Set()): boolean {
  const { sets, options } = service;
  const { defaults } = options;
  const nestsByDefault = isObject(defaults) && defaults["allowDeepInsert"] === true;
  const within = new Set([...seen, set]);
  return navigationsInto(set, sets).some(({ from }) => {
    const { create, allowDeepInsert = nestsByDefault } = from.options;
    // The option of the set of the body decides for all depths.
    return (create !== undefined && allowDeepInsert === true) || (!within.has(from) && isNested(from, service, within));
  });
}
