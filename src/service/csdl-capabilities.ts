import { expandDepthOf } from "../binder/bind-expand.ts";
import type { CsdlCapabilities } from "../csdl/write-capabilities.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import { readForm } from "../plan/plan-collection.ts";
import { eligibleJoin } from "../plan/plan-related.ts";
import { hasNavigationRoute } from "../plan/table-navigation.ts";

/**
 * What $metadata says that a set can do: what its routes do, not what it declares.
 * @see decisions, $metadata
 */
export function csdlCapabilitiesOf(definition: ServiceDefinition): (entitySet: EntitySet) => CsdlCapabilities {
  return ({ name }) => {
    const set = definition.entitySets.get(name);
    if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
    const { create, replace, patch, delete: remove } = set.handlers;
    const names = [...set.entitySet.navigationProperties.keys()];
    return {
      query: set.capabilities,
      readable: readForm(set.handlers) !== undefined,
      readableByKey: set.handlers.getByKey !== undefined,
      shown: showsItself(set) || [...definition.entitySets.values()].some((each) => leadsTo(definition, each, name)),
      navigable: new Set(names.filter((each) => hasNavigationRoute(definition, set.entitySet, each))),
      maxExpandDepth: expandDepthOf(definition.limits),
      expandable: new Set(names.filter((each) => isExpandable(definition, set, each))),
      insertable: create !== undefined,
      insertableAlong: insertableAlong(definition, set),
      patchable: patch !== undefined,
      replaceable: replace !== undefined,
      deletable: remove !== undefined,
    };
  };
}

/** Whether routes of a set answer with its entities. */
function showsItself({ handlers }: EntitySetDefinition): boolean {
  const { getByKey, create, replace, patch } = handlers;
  return readForm(handlers) !== undefined || (getByKey ?? create ?? replace ?? patch) !== undefined;
}

/** Whether requests to one set are answered with entities of another: along a navigation, or within an expansion. */
function leadsTo(definition: ServiceDefinition, set: EntitySetDefinition, target: string): boolean {
  const { expandEnabled, expandProperties } = set.capabilities;
  const expands = expandEnabled && showsItself(set);
  return [...set.entitySet.navigationPropertyBindings].some(([name, each]) => {
    if (each !== target) return false;
    if (hasNavigationRoute(definition, set.entitySet, name)) return true;
    return expands && expandProperties?.has(name) !== false && isExpandable(definition, set, name);
  });
}

/** Where it is otherwise than the set of the related entities says, which clients take for granted. */
function insertableAlong(
  { entitySets }: ServiceDefinition,
  { entitySet, navigationHandlers }: EntitySetDefinition,
): ReadonlyMap<string, boolean> {
  const differing = [...entitySet.navigationProperties.values()].flatMap(({ name, isCollection }) => {
    // Nothing is created along what leads to one entity.
    if (!isCollection) return [];
    const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
    const isAssumed = target === undefined || target.handlers.create !== undefined;
    const isInsertable = navigationHandlers.get(name)?.create !== undefined;
    return isAssumed === isInsertable ? [] : [[name, isInsertable] as const];
  });
  return new Map(differing);
}

/** Whether something brings the related entities: a handler, the source of the target set, or the parents themselves. */
function isExpandable({ entitySets }: ServiceDefinition, set: EntitySetDefinition, name: string): boolean {
  const { get, getBatch } = set.navigationHandlers.get(name) ?? {};
  if ((get ?? getBatch) !== undefined) return true;
  // What nothing else loads can only stand in the object that a handler returned: a row holds nothing but its columns.
  const { getByKey, queryable: own } = set.handlers;
  if (getByKey?.readRow === undefined && own?.source?.relational === undefined) return true;
  const queryable = entitySets.get(set.entitySet.navigationPropertyBindings.get(name) ?? "")?.handlers.queryable;
  if (eligibleJoin(set, name) === null || queryable === undefined) return false;
  // A source that is made for each request tells only then what it can do.
  return queryable.source === undefined || queryable.source.relational !== undefined;
}
