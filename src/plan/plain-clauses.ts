import { keeper, keptPer } from "../base/memo.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { SelectExpandClause } from "../query/clauses.ts";

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * The clause of a read that needs no property for its own sake, but for what control information is made from.
 * @returns the same object for a type each time
 */
export const selectNothing: (entityType: EntityType) => SelectExpandClause = keptPer(() => selectOnly([]));

/**
 * The clause of a read of one property, whole.
 * @returns the same object for a property each time
 */
export const selectProperty: (property: StructuralProperty) => SelectExpandClause = keptPer((property) =>
  selectOnly([property]),
);

function selectOnly(properties: readonly StructuralProperty[]): SelectExpandClause {
  const selected = Object.freeze(properties.map((property) => Object.freeze({ property })));
  return Object.freeze(keeper({ selected, isSelection: true, contextSelect: NOTHING, expanded: NOTHING }));
}
