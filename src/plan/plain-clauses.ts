import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { SelectExpandClause } from "../query/clauses.ts";

const NOTHING: readonly never[] = Object.freeze([]);

const nothings = new WeakMap<EntityType, SelectExpandClause>();

/**
 * The clause of a read that needs no property for its own sake, but for what control information is made from.
 * @returns the same object for a type each time
 */
export function selectNothing(entityType: EntityType): SelectExpandClause {
  let clause = nothings.get(entityType);
  if (clause === undefined) nothings.set(entityType, (clause = selectOnly([])));
  return clause;
}

const singles = new WeakMap<StructuralProperty, SelectExpandClause>();

/**
 * The clause of a read of one property, whole.
 * @returns the same object for a property each time
 */
export function selectProperty(property: StructuralProperty): SelectExpandClause {
  let clause = singles.get(property);
  if (clause === undefined) singles.set(property, (clause = selectOnly([property])));
  return clause;
}

function selectOnly(properties: readonly StructuralProperty[]): SelectExpandClause {
  const selected = Object.freeze(properties.map((property) => Object.freeze({ property })));
  return Object.freeze({ selected, isSelection: true, contextSelect: NOTHING, expanded: NOTHING });
}
