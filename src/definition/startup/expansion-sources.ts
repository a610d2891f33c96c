import { frozenSet } from "../../edm/frozen-map.ts";
import type { DirectJoin, NavigationJoin } from "../../edm/model.ts";
import type { ExpansionSources } from "../../language/query/capabilities.ts";
import type { Context } from "../context.ts";
import type { QueryableHandler } from "../handlers.ts";
import type { EntitySetDefinition } from "../model/service-definition.ts";

/** The parts of a set that decide which related entities can be read. */
type ReadSet = Pick<EntitySetDefinition, "entitySet" | "handlers" | "navigationHandlers"> & {
  readonly settings: Pick<EntitySetDefinition["settings"], "expandPushdownEnabled">;
};

/** The target set of a navigation, as far as it can be read by the join of the navigation. */
export interface JoinedTarget {
  readonly join: NavigationJoin;
  /** Whether the target set has rows of a database; `maybe`: its source is made for each request. */
  readonly rows: "all" | "maybe" | "none";
  /** The join if the target set may be a list, which is read once for all parents; otherwise null. */
  readonly list: DirectJoin | null;
}

/**
 * Returns the target set of a navigation as far as it can be read by the join.
 * @param target undefined without a target set
 * @returns null without a join, for a target set that only keys can read, and where the set lets only handlers expand
 * @see docs/reference/expand.md
 */
export function joinedTarget(
  { entitySet, settings }: Pick<ReadSet, "entitySet" | "settings">,
  navigation: string,
  target: Pick<ReadSet, "handlers"> | undefined,
): JoinedTarget | null {
  const join = entitySet.navigationJoins.get(navigation);
  if (!settings.expandPushdownEnabled || join === undefined || target === undefined) return null;
  const { queryable, getAll } = target.handlers;
  const rows = queryable === undefined ? "none" : rowsOf(queryable);
  const list = join.kind === "direct" && rows !== "all" && (queryable ?? getAll) !== undefined ? join : null;
  return rows === "none" && list === null ? null : { join, rows, list };
}

function rowsOf({ source }: QueryableHandler<Context>): JoinedTarget["rows"] {
  return source?.relational === undefined ? "maybe" : "all";
}

/** Whether the entities of a set are rows of a database, which contain no related entities. */
function hasRows({ handlers: { queryable, getByKey } }: Pick<ReadSet, "handlers">): boolean {
  return getByKey?.readRow !== undefined || queryable?.source?.relational !== undefined;
}

/**
 * Finds the sources of the related entities of a set's navigations.
 * @param setOf returns a set by its name
 * @see docs/reference/expand.md
 */
export function expansionSources(
  set: ReadSet,
  setOf: (name: string) => Pick<ReadSet, "handlers"> | undefined,
): ExpansionSources {
  const { entitySet, navigationHandlers, handlers, settings } = set;
  const unloaded = new Set<string>();
  const objects = new Set<string>();
  for (const name of entitySet.navigationProperties.keys()) {
    const { get, getBatch } = navigationHandlers.get(name) ?? {};
    const isHandled = (get ?? getBatch) !== undefined;
    const joined = joinedTarget(set, name, setOf(entitySet.navigationPropertyBindings.get(name) ?? ""));
    if (isHandled || joined?.rows !== "all") objects.add(name);
    // Handlers may populate the objects that they return, but a list with a join is related by its join alone.
    const isJoinedList =
      handlers.queryable !== undefined && settings.expandPushdownEnabled && entitySet.navigationJoins.has(name);
    if (!isHandled && joined === null && (hasRows(set) || isJoinedList)) unloaded.add(name);
  }
  return Object.freeze({ unloaded: frozenSet(unloaded), objects: frozenSet(objects) });
}
