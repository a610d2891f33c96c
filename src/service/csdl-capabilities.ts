import type { CsdlCapabilities } from "../csdl/csdl-capabilities.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import { readForm } from "../plan/plan-collection.ts";

/**
 * What $metadata says that a set can do: what its routes do, not what it declares. Writes are not served.
 * @see decisions, $metadata
 */
export function csdlCapabilitiesOf(definition: ServiceDefinition): (entitySet: EntitySet) => CsdlCapabilities {
  return ({ name }) => {
    const set = definition.entitySets.get(name);
    if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
    const handled = new Set(
      [...set.navigationHandlers].filter(([, { get, getBatch }]) => (get ?? getBatch) !== undefined).map(first),
    );
    // What no handler loads can only stand in the object that a handler returned: a set of rows has none.
    const readsRows = set.handlers.getByKey?.readRow !== undefined;
    return {
      query: set.capabilities,
      readable: readForm(set.handlers) !== undefined,
      readableByKey: set.handlers.getByKey !== undefined,
      navigable: handled,
      expandable: readsRows ? handled : new Set(set.navigationHandlers.keys()),
      insertable: false,
      updatable: false,
      deletable: false,
    };
  };
}

function first([name]: readonly [string, unknown]): string {
  return name;
}
