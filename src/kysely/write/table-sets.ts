import { keptPerPair } from "../../base/memo.ts";
import { type Context, seesAllRows } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/service-definition.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { wirePath } from "../../edm/wire-path.ts";
import { tableBehind, tableOf, type SqlTable } from "./sql-table.ts";

/** Handlers by which the table of a set is known, as far as the application has none of its own in their place. */
const HANDLERS = ["create", "patch", "replace", "delete", "getByKey", "queryable"] as const;

/** The set of the service that answers, which is over a table; null where the table is asked outside of a service. */
export function setOfTable(context: Context, table: SqlTable): EntitySetDefinition | null {
  return setsOfTable(context, table)[0] ?? null;
}

/**
 * As `setOfTable`, for a write whose rows a rule may keep back.
 * @throws Error where several sets have the handlers of one declaration, so that none tells whose rule holds
 */
export function writtenSet(context: Context, table: SqlTable): EntitySetDefinition | null {
  const [set = null, ...others] = setsOfTable(context, table);
  if (others.length === 0 || ![set, ...others].some((each) => isGuarded(each, context))) return set;
  const names = [set, ...others].map((each) => each?.entitySet.name).join(", ");
  throw new Error(`${names} have the same handlers, and row rules: declare each of them by a sqlEntitySet of its own.`);
}

/** The sets of the service that answers; none where a table is written outside of a service. */
export function setsOfService(context: Context): Iterable<EntitySetDefinition> {
  return serviceOf(context)?.entitySets.values() ?? [];
}

/** Whether a row rule may keep rows of a set back from a call. */
export function isGuarded(set: EntitySetDefinition | null, context: Context): set is EntitySetDefinition {
  return set?.restriction !== undefined && !seesAllRows(context);
}

/** Whether any set of the service keeps rows back from a call. */
export function keepsRowsBack(context: Context): boolean {
  return [...setsOfService(context)].some((set) => isGuarded(set, context));
}

function setsOfTable(context: Context, table: SqlTable): readonly EntitySetDefinition[] {
  const service = serviceOf(context);
  return service === null ? [] : setsOver(table, service);
}

const setsOver = keptPerPair((table: SqlTable, { entitySets }: ServiceDefinition): readonly EntitySetDefinition[] =>
  [...entitySets.values()].filter((set) => isOver(set, table)),
);

/** The set that a navigation of a set leads to. */
export function targetSet(context: Context, set: EntitySetDefinition, navigation: string): EntitySetDefinition | null {
  const name = set.entitySet.navigationPropertyBindings.get(navigation);
  return name === undefined ? null : (serviceOf(context)?.entitySets.get(name) ?? null);
}

/** The set of a name in the service that answers; null where the table is asked outside of a service. */
export function setOf(context: Context, name: string): EntitySetDefinition | null {
  return serviceOf(context)?.entitySets.get(name) ?? null;
}

/** Whether a set is over a table: by its own handlers, or by those along its navigations. */
function isOver(set: EntitySetDefinition, table: SqlTable): boolean {
  if (HANDLERS.some((name) => tableBehind(set.handlers[name]) === table)) return true;
  return [...set.navigationHandlers.values()].some((handlers) => {
    const along: readonly unknown[] = Object.values(handlers);
    return along.some((handler) => tableOf(handler) === table);
  });
}

/** The table of a set; null for one that is over none. */
export function tableOfSet({ handlers }: Pick<EntitySetDefinition, "handlers">): SqlTable | null {
  for (const name of HANDLERS) {
    const table = tableOf(handlers[name]);
    if (table !== null) return table;
  }
  return null;
}

/** Returns how clients name what stands at a path of properties, by the model of the service. */
export function wirePathOf(context: Context, table: SqlTable, path: readonly StructuralProperty[]): string {
  return wirePath(serviceOf(context)?.model.entityTypes.get(table.entityType.name), path);
}

/** The service of a context; null where an application calls a handler with a context that it made itself. */
export function serviceOf(context: Context | undefined): ServiceDefinition | null {
  const service: object | undefined = context?.service;
  return service !== undefined && "entitySets" in service && "model" in service ? (service as ServiceDefinition) : null;
}
