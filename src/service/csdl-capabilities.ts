import type { CsdlCapabilities } from "../csdl/csdl-capabilities.ts";
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
      navigable: new Set(names.filter((each) => hasNavigationRoute(definition, set.entitySet, each))),
      expandable: new Set(names.filter((each) => isExpandable(definition, set, each))),
      insertable: create !== undefined,
      updatable: (replace ?? patch) !== undefined,
      deletable: remove !== undefined,
    };
  };
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
