import type { User } from "../definition/context.ts";
import { CATEGORIES, type Category } from "../definition/rules/authorization.ts";
import { refusal } from "../definition/rules/refusal.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { judge } from "../execution/judge-rules.ts";
import type { Place } from "./find-route.ts";
import type { EntitySetRoutes, RouteTable } from "./route-table.ts";
import type { Endpoints } from "./route.ts";

/**
 * The places all of whose routes need a user. There, an unknown name and an unknown method lead to the same 401 for anonymous
 * users as a known one, so they learn no names.
 * @see docs/reference/status-codes.md, The order of checks
 */
export class GuardedPlaces {
  readonly #isWhole: boolean;
  /** The names of the guarded entity sets. */
  readonly #sets: ReadonlySet<string>;

  constructor({ authorization, entitySets }: ServiceDefinition, table: RouteTable) {
    this.#isWhole = judge(authorization, null) === "failed";
    const guarded = [...table.entitySets].filter(([name, routes]) => {
      const set = entitySets.get(name);
      return set !== undefined && isGuarded(set, routes);
    });
    this.#sets = new Set(guarded.map(([name]) => name));
  }

  /** Returns the refusal of a user at a place; null for a known user, and where a route needs no user. */
  refusalAt({ further, segments }: Place, user: User | null): ODataError | null {
    if (user !== null || further?.isPublic === true) return null;
    if (this.#isWhole) return refusal(null, "use this service");
    const [{ name } = { name: "" }] = segments;
    return this.#sets.has(name) ? refusal(null, `use ${name}`) : null;
  }
}

/** Returns whether the categories of all routes of a set need a user; of a set without routes, whether all categories do. */
function isGuarded({ authorization, operations }: EntitySetDefinition, routes: EntitySetRoutes): boolean {
  const used = new Set([...categoriesOf(routes), ...(operations.size > 0 ? INVOKE : [])]);
  return [...(used.size > 0 ? used : CATEGORIES)].every((each) => judge(authorization[each], null) === "failed");
}

const INVOKE: readonly Category[] = ["invoke"];

function categoriesOf({ navigations, ...own }: EntitySetRoutes): readonly Category[] {
  const along = [...navigations.values()].flatMap((each): readonly Endpoints[] => Object.values(each));
  const all: readonly Endpoints[] = [...Object.values(own), ...along];
  return all.flatMap((endpoints) => Object.values(endpoints).flatMap((endpoint) => endpoint?.category ?? []));
}
