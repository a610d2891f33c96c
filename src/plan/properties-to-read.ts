import type { EntitySet, StructuralProperty } from "../edm/model.ts";
import type { SelectedProperty, SelectExpandClause } from "../query/clauses.ts";

/** What else the answer of a request needs of each entity. */
export interface ReadNeeds {
  /** Whether `@odata.id` and other links are written, which are made from the key. */
  readonly key: boolean;
  /** Whether only what is needed is to be read; otherwise everything is. */
  readonly pushdown: boolean;
}

/** Kept by clause, so that a source meets the same object for the same needs. */
const known = new WeakMap<SelectExpandClause, Map<EntitySet, PropertiesByNeeds>>();

type PropertiesByNeeds = Map<string, readonly SelectedProperty[]>;

/**
 * The properties that a source has to read for an answer: those of `$select`, the ETag's, and the key where links are
 * written. In order of declaration.
 * @see specification, Per-entity-set settings (SelectPushdownEnabled)
 */
export function propertiesToRead(
  entitySet: EntitySet,
  clause: SelectExpandClause,
  needs: ReadNeeds,
): readonly SelectedProperty[] {
  let bySet = known.get(clause);
  if (bySet === undefined) known.set(clause, (bySet = new Map<EntitySet, PropertiesByNeeds>()));
  let byNeeds = bySet.get(entitySet);
  if (byNeeds === undefined) bySet.set(entitySet, (byNeeds = new Map<string, readonly SelectedProperty[]>()));
  const key = needs.pushdown ? String(needs.key) : "all";
  let properties = byNeeds.get(key);
  if (properties === undefined) {
    properties = Object.freeze(
      needs.pushdown ? neededProperties(entitySet, clause, needs.key) : allProperties(entitySet),
    );
    byNeeds.set(key, properties);
  }
  return properties;
}

function allProperties({ entityType }: EntitySet): readonly SelectedProperty[] {
  return entityType.properties.map((property) => ({ property }));
}

function neededProperties(
  { entityType, etag }: EntitySet,
  { selected }: SelectExpandClause,
  needsKey: boolean,
): readonly SelectedProperty[] {
  const bySelection = new Map(selected.map((item) => [item.property, item]));
  const isNeeded = (property: StructuralProperty): boolean => etag.includes(property) || (needsKey && property.isKey);
  return entityType.properties
    .map((property) => bySelection.get(property) ?? (isNeeded(property) ? { property } : undefined))
    .filter((item) => item !== undefined);
}
