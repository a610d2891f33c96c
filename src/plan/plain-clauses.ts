import { keeper, keptPer } from "../base/memo.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { SelectExpandClause } from "../query/clauses.ts";

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * Returns the clause of a read that selects no properties. The read still returns those for control information.
 * @returns the same object for each call with a type
 */
export const selectNothing: (entityType: EntityType) => SelectExpandClause = keptPer(() => selectOnly([]));

/**
 * Returns the clause of a read of one whole property.
 * @returns the same object for each call with a property
 */
export const selectProperty: (property: StructuralProperty) => SelectExpandClause = keptPer((property) =>
  selectOnly([property]),
);

function selectOnly(properties: readonly StructuralProperty[]): SelectExpandClause {
  const selected = Object.freeze(properties.map((property) => Object.freeze({ property })));
  return Object.freeze(keeper({ selected, isSelection: true, contextSelect: NOTHING, expanded: NOTHING }));
}
