import { keptPer, keptPerPair } from "../base/memo.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import type { SelectedProperty, SelectExpandClause } from "../query/clauses.ts";

/** What else the answer of a request needs of each entity. */
export interface ReadNeeds {
  /** Whether `@odata.id` and other links are written, which are made from the key. */
  readonly key: boolean;
  /** Whether only what is needed is to be read; otherwise everything is. */
  readonly pushdown: boolean;
  /** By which the expansions of the clause find what is related to the entities: determined by the clause. */
  readonly join?: readonly StructuralProperty[] | undefined;
}

/** By needs: a source meets the same object for the same ones. */
const propertiesOf = keptPerPair(
  (_clause: SelectExpandClause, _entitySet: EntitySet) => new Map<string, readonly SelectedProperty[]>(),
);

/**
 * The properties that a source has to read for an answer: those of `$select`, the ETag's, those that expansions are
 * found by, and the key where links are written. In order of declaration, ignored ones last.
 * @see specification, Per-entity-set settings (SelectPushdownEnabled)
 */
export function propertiesToRead(
  entitySet: EntitySet,
  clause: SelectExpandClause,
  needs: ReadNeeds,
): readonly SelectedProperty[] {
  const byNeeds = propertiesOf(clause, entitySet);
  const key = needs.pushdown ? String(needs.key) : "all";
  let properties = byNeeds.get(key);
  if (properties === undefined) {
    properties = Object.freeze(
      needs.pushdown ? neededProperties(entitySet, clause, needs) : allProperties(entitySet, needs),
    );
    byNeeds.set(key, properties);
  }
  return properties;
}

/** The properties of the key: the same list for a type each time, so that a source compiles one statement for it. */
export const keyProperties: (entityType: EntityType) => readonly SelectedProperty[] = keptPer(({ key }) =>
  Object.freeze(key.map((property) => ({ property }))),
);

function allProperties({ entityType }: EntitySet, { join = [] }: ReadNeeds): readonly SelectedProperty[] {
  return [...entityType.properties, ...ignoredAmong(join, entityType)].map((property) => ({ property }));
}

function neededProperties(
  { entityType, etag }: EntitySet,
  { selected }: SelectExpandClause,
  { key, join = [] }: ReadNeeds,
): readonly SelectedProperty[] {
  const bySelection = new Map(selected.map((item) => [item.property, item]));
  const isNeeded = (property: StructuralProperty): boolean =>
    etag.includes(property) || join.includes(property) || (key && property.isKey);
  const visible = entityType.properties
    .map((property) => bySelection.get(property) ?? (isNeeded(property) ? { property } : undefined))
    .filter((item) => item !== undefined);
  return [...visible, ...ignoredAmong(join, entityType).map((property) => ({ property }))];
}

/** Entities may be related by what no client sees. */
function ignoredAmong(
  join: readonly StructuralProperty[],
  { ignoredProperties }: EntityType,
): readonly StructuralProperty[] {
  return ignoredProperties.filter((property) => join.includes(property));
}
