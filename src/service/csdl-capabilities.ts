import { expandDepthOf } from "../binder/bind-expand.ts";
import type { CsdlCapabilities } from "../csdl/write-capabilities.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import { readForm } from "../plan/plan-collection.ts";
import { hasNavigationRoute } from "../plan/table-navigation.ts";

/**
 * Returns the capabilities of a set for `$metadata`, derived from its routes.
 * @see docs/reference/formats.md
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
      expandable: new Set(names.filter((each) => isExpandable(set, each))),
      insertable: create !== undefined,
      insertableAlong: insertableAlong(definition, set),
      patchable: patch !== undefined,
      replaceable: replace !== undefined,
      deletable: remove !== undefined,
    };
  };
}

/** Returns whether routes of a set return its entities. */
function showsItself({ handlers }: EntitySetDefinition): boolean {
  const { getByKey, create, replace, patch } = handlers;
  return readForm(handlers) !== undefined || (getByKey ?? create ?? replace ?? patch) !== undefined;
}

/** Returns whether requests to a set can return entities of another set, along a navigation or in an expansion. */
function leadsTo(definition: ServiceDefinition, set: EntitySetDefinition, target: string): boolean {
  const { expandEnabled, expandProperties } = set.capabilities;
  const expands = expandEnabled && showsItself(set);
  return [...set.entitySet.navigationPropertyBindings].some(([name, each]) => {
    if (each !== target) return false;
    if (hasNavigationRoute(definition, set.entitySet, name)) return true;
    return expands && expandProperties?.has(name) !== false && isExpandable(set, name);
  });
}

/** Returns the navigations whose insertability differs from that of their target set, which clients assume. */
function insertableAlong(
  { entitySets }: ServiceDefinition,
  { entitySet, navigationHandlers }: EntitySetDefinition,
): ReadonlyMap<string, boolean> {
  const differing = [...entitySet.navigationProperties.values()].flatMap(({ name, isCollection }) => {
    // Clients cannot create entities along a single-valued navigation.
    if (!isCollection) return [];
    const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
    const isAssumed = target === undefined || target.handlers.create !== undefined;
    const isInsertable = navigationHandlers.get(name)?.create !== undefined;
    return isAssumed === isInsertable ? [] : [[name, isInsertable] as const];
  });
  return new Map(differing);
}

/** Returns whether a handler, the target set, or the parents themselves provide the related entities. */
function isExpandable({ capabilities }: EntitySetDefinition, name: string): boolean {
  return capabilities.expansions?.unloaded.has(name) !== true;
}
