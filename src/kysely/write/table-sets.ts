import { keptPerPair } from "../../base/memo.ts";
import { type Context, seesAllRows } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { wirePath } from "../../edm/wire-path.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { tableBehind, tableOf, type SqlTable } from "./sql-table.ts";

/** The handlers that show the table of a set, unless the application replaced them. */
const HANDLERS = ["create", "patch", "replace", "delete", "getByKey", "queryable"] as const;

/** Returns the set over a table in the service of the request; null outside a service. */
export function setOfTable(context: Context, table: SqlTable): EntitySetDefinition | null {
  return setsOfTable(context, table)[0] ?? null;
}

/**
 * As `setOfTable`, for a write to which a row rule may apply.
 * @throws Error if several sets share the handlers of one declaration, so that it is unclear which rule applies
 */
export function writtenSet(context: Context, table: SqlTable): EntitySetDefinition | null {
  const [set = null, ...others] = setsOfTable(context, table);
  if (others.length === 0 || ![set, ...others].some((each) => mayHideRows(each, context))) return set;
  const names = [set, ...others].map((each) => each?.entitySet.name).join(", ");
  throw new Error(`${names} share handlers and have row rules: declare each of them with its own sqlEntitySet.`);
}

/** The sets of the service that answers; none where a table is written outside of a service. */
export function setsOfService(context: Context): Iterable<EntitySetDefinition> {
  return findService(context)?.entitySets.values() ?? [];
}

/** Whether a row rule may hide rows of a set from a call. */
export function mayHideRows(set: EntitySetDefinition | null, context: Context): set is EntitySetDefinition {
  return (set?.rows ?? null) !== null && !seesAllRows(context);
}

/** Whether any set of the service may hide rows from a call. */
export function keepsRowsBack(context: Context): boolean {
  return [...setsOfService(context)].some((set) => mayHideRows(set, context));
}

function setsOfTable(context: Context, table: SqlTable): readonly EntitySetDefinition[] {
  const service = findService(context);
  return service === null ? [] : setsOver(table, service);
}

const setsOver = keptPerPair((table: SqlTable, { entitySets }: ServiceDefinition): readonly EntitySetDefinition[] =>
  [...entitySets.values()].filter((set) => isOver(set, table)),
);

/** Returns the target set of a navigation. */
export function targetSet(context: Context, set: EntitySetDefinition, navigation: string): EntitySetDefinition | null {
  const name = set.entitySet.navigationPropertyBindings.get(navigation);
  return name === undefined ? null : setOf(context, name);
}

/** Returns the set with a name in the service of the request; null outside a service. */
export function setOf(context: Context, name: string): EntitySetDefinition | null {
  return findService(context)?.entitySets.get(name) ?? null;
}

/** Whether a set uses a table, in its own handlers or in those of its navigations. */
function isOver(set: EntitySetDefinition, table: SqlTable): boolean {
  if (HANDLERS.some((name) => tableBehind(set.handlers[name]) === table)) return true;
  return [...set.navigationHandlers.values()].some((handlers) => {
    const along: readonly unknown[] = Object.values(handlers);
    return along.some((handler) => tableOf(handler) === table);
  });
}

/** Returns the table of a set; null if it has none. */
export function tableOfSet({ handlers }: Pick<EntitySetDefinition, "handlers">): SqlTable | null {
  for (const name of HANDLERS) {
    const table = tableOf(handlers[name]);
    if (table !== null) return table;
  }
  return null;
}

/** Returns the name that clients use for a path of properties, by the model of the service. */
export function wirePathOf(context: Context, table: SqlTable, path: readonly StructuralProperty[]): string {
  return wirePath(findService(context)?.model.entityTypes.get(table.entityType.name), path);
}

/**
 * Reads an entity of a set by its handler `getByKey`; call this before a transaction begins, because the handler may wait for
 * the same connection.
 * @returns null where the user sees none
 * @throws errors that the handler throws or returns
 */
export async function readSeen(
  { entitySet, handlers: { getByKey } }: EntitySetDefinition,
  key: unknown,
  context: Context,
): Promise<unknown> {
  const rules = findService(context)?.rowRules ?? null;
  const found: unknown = await (rules === null ? getByKey?.(key, context) : rules.findSeen(entitySet, key, context));
  if (isODataError(found)) throw found;
  return found ?? null;
}

/** Returns the service of a context; null if an application calls a handler with a context that it made itself. */
export function findService(context: Context | undefined): ServiceDefinition | null {
  const service: object | undefined = context?.service;
  return service !== undefined && "entitySets" in service && "model" in service ? (service as ServiceDefinition) : null;
}
