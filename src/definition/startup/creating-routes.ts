import type { DeclaredService, DeclaredSet } from "../model/declared-service.ts";
import { isObject } from "../option-table.ts";
import { navigationHandlersOf, navigationsInto } from "./check-authorization.ts";

/** A route of POST, and the handler that it calls. */
interface CreatingRoute {
  readonly route: string;
  readonly handler: unknown;
}

/**
 * Returns the routes whose handlers create entities of a set: its own route, routes along navigations, and routes with deep insert
 * at any depth.
 * @see docs/reference/writing.md
 */
export function* creatingRoutes(set: DeclaredSet, service: DeclaredService): Iterable<CreatingRoute> {
  const { create: handler } = set.options;
  if (handler !== undefined) yield { route: `/${set.name}`, handler };
  for (const { from, navigation } of navigationsInto(set, service.sets)) {
    const related = navigationHandlersOf(navigation, service.sets)["create"];
    if (related !== undefined) yield { route: `/${from.name}({key})/${navigation.name}`, handler: related };
  }
  yield* nestingRoutes(set, service, new Set());
}

/** @param seen the sets whose navigations have been followed to the body */
function* nestingRoutes(set: DeclaredSet, service: DeclaredService, seen: Set<DeclaredSet>): Iterable<CreatingRoute> {
  const { sets, options } = service;
  const { defaults } = options;
  const nestsByDefault = isObject(defaults) && defaults["allowDeepInsert"] === true;
  for (const { from } of navigationsInto(set, sets)) {
    if (seen.has(from)) continue;
    seen.add(from);
    const { create: handler, allowDeepInsert = nestsByDefault } = from.options;
    // The option of the set of the body decides for all depths.
    if (handler !== undefined && allowDeepInsert === true) yield { route: `/${from.name}`, handler };
    yield* nestingRoutes(from, service, seen);
  }
}

/** Returns whether entities of a set are created. */
export function isCreated(set: DeclaredSet, service: DeclaredService): boolean {
  for (const _route of creatingRoutes(set, service)) return true;
  return false;
}
