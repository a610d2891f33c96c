import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { StructuralProperty } from "../edm/model.ts";
import { tableOf, type SqlTable } from "./sql-table.ts";

/** Handlers by which the table of a set is known, as far as the application has none of its own in their place. */
const HANDLERS = ["create", "patch", "replace", "delete", "getByKey", "queryable"] as const;

const sets = new WeakMap<object, Map<SqlTable, EntitySetDefinition | null>>();

/** The set of the service that answers, which is over a table; null where the table is asked outside of a service. */
export function setOfTable(context: Context, table: SqlTable): EntitySetDefinition | null {
  const service = serviceOf(context);
  if (service === null) return null;
  let known = sets.get(service);
  if (known === undefined) sets.set(service, (known = new Map<SqlTable, EntitySetDefinition | null>()));
  let found = known.get(table);
  if (found === undefined) {
    found = [...service.entitySets.values()].find((set) => isOver(set, table)) ?? null;
    known.set(table, found);
  }
  return found;
}

/** The set that a navigation of a set leads to. */
export function targetSet(context: Context, set: EntitySetDefinition, navigation: string): EntitySetDefinition | null {
  const name = set.entitySet.navigationPropertyBindings.get(navigation);
  return name === undefined ? null : (serviceOf(context)?.entitySets.get(name) ?? null);
}

/** Whether a set is over a table: by its own handlers, or by those along its navigations. */
function isOver(set: EntitySetDefinition, table: SqlTable): boolean {
  if (tableOfSet(set) === table) return true;
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

/** How clients name what stands at a path of properties, which the model of the service tells. */
export function wirePath(context: Context, table: SqlTable, path: readonly StructuralProperty[]): string {
  let type = serviceOf(context)?.model.entityTypes.get(table.entityType.name) as
    | { readonly properties: readonly StructuralProperty[] }
    | undefined;
  const names = path.map((declared) => {
    const property = type?.properties.find(({ field }) => field === declared.field) ?? declared;
    type = property.type.kind === "ComplexType" ? property.type : undefined;
    return property.name;
  });
  return names.join("/");
}

/** Handlers may be called without a service around them, by an application that has but a context of its own. */
function serviceOf(context: Context | undefined): ServiceDefinition | null {
  const service: object | undefined = context?.service;
  return service !== undefined && "entitySets" in service && "model" in service ? (service as ServiceDefinition) : null;
}
