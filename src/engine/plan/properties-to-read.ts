import { keptPer, keptPerPair } from "../../base/memo.ts";
import type { EntitySet, EntityType, NavigationJoin, StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty, SelectExpandClause } from "../../language/query/clauses.ts";
import { computedIn, propertiesIn } from "../../language/query/mentions.ts";
import { storedIn, virtualNeeds } from "../../language/query/virtual-values.ts";

/** The other needs of a response for each entity. */
interface ReadNeeds {
  /** Whether links such as `@odata.id` are written, which contain the key. */
  readonly key: boolean;
  /** Whether to read only the needed properties, instead of all. */
  readonly pushdown: boolean;
  /** The properties that the expansions of the clause join by. */
  readonly join?: readonly StructuralProperty[] | undefined;
}

/** By needs, which few combinations of clauses differ in. */
const propertiesOf = keptPerPair(
  (_clause: SelectExpandClause, _entitySet: EntitySet) => new Map<string, readonly SelectedProperty[]>(),
);

/**
 * Returns the properties that a source must read for a response: those of `$select`, of the ETag, of the joins of
 * expansions, and the key if links are written; if values are computed of them, all but those that are returned only if
 * selected and that nothing names. They are in order of declaration, ignored
 * properties last.
 * @see docs/reference/select.md
 */
export function propertiesToRead(
  entitySet: EntitySet,
  clause: SelectExpandClause,
  needs: ReadNeeds,
): readonly SelectedProperty[] {
  const byNeeds = propertiesOf(clause, entitySet);
  const key = keyOfNeeds(needs);
  let properties = byNeeds.get(key);
  if (properties === undefined) {
    properties = Object.freeze(
      needs.pushdown && computedIn(clause) === null
        ? neededProperties(entitySet, clause, needs)
        : allProperties(entitySet, clause, needs),
    );
    byNeeds.set(key, properties);
  }
  return properties;
}

/** Returns the same text for the same needs. */
function keyOfNeeds({ key, pushdown, join = [] }: ReadNeeds): string {
  const selected = key ? "selected and key" : "selected";
  const own = pushdown ? selected : "all";
  return join.length === 0 ? own : own + JSON.stringify(join.map(({ field }) => field));
}

/** Returns the key properties. */
export const keyProperties: (entityType: EntityType) => readonly SelectedProperty[] = keptPer(({ key }) =>
  Object.freeze(key.map((property) => ({ property }))),
);

/**
 * Returns every declared property, ignored properties last, and ignored members of complex values: rules and handlers
 * receive them all.
 */
export const declaredProperties: (entityType: EntityType) => readonly SelectedProperty[] = keptPer(
  ({ properties, ignoredProperties }) =>
    Object.freeze(
      [...properties, ...ignoredProperties].map((property) => Object.freeze({ property, withIgnored: true as const })),
    ),
);

/** Returns the properties of the parents in a join, in the order of the join. */
export function parentProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return (join.kind === "direct" ? join.pairs : join.from).map(({ property }) => property);
}

/** The expressions of computed values may navigate, so they need the properties of all joins. */
function allProperties(
  { entityType, navigationJoins, etag }: EntitySet,
  clause: SelectExpandClause,
  needs: ReadNeeds,
): readonly SelectedProperty[] {
  const computed = computedIn(clause);
  const paths = computed === null ? [] : [...navigationJoins.values()].flatMap(parentProperties);
  const join = [...(needs.join ?? []), ...paths, ...neededBy(clause, entityType)];
  const named = computed === null ? [] : propertiesIn(computed).filter(({ owner }) => owner === null);
  const used = [...clause.selected, ...named].map(({ property }) => property);
  const read = entityType.properties.filter(
    (each) => each.onlyIfSelected !== true || [used, join, etag].some((list) => list.includes(each)),
  );
  return [...read, ...ignoredAmong(join, entityType)].map((property) => ({ property }));
}

function neededProperties(
  { entityType, etag }: EntitySet,
  clause: SelectExpandClause,
  { key, join: joined = [] }: ReadNeeds,
): readonly SelectedProperty[] {
  const bySelection = new Map(clause.selected.map((item) => [item.property, item]));
  const needed = neededBy(clause, entityType);
  const join = [...joined, ...needed];
  const isNeeded = (property: StructuralProperty): boolean =>
    etag.includes(property) ||
    join.includes(property) ||
    (key && property.isKey) ||
    property === entityType.hierarchy?.discriminator;
  const visible = entityType.properties
    .map((property) => {
      // Functions of the application get whole values, and ETags are made of them.
      const isWhole = needed.includes(property) || etag.includes(property);
      const selected = isWhole ? undefined : bySelection.get(property);
      return selected ?? (isNeeded(property) ? { property } : undefined);
    })
    .filter((item) => item !== undefined);
  return [...visible, ...ignoredAmong(join, entityType).map((property) => ({ property }))];
}

/** Returns the properties that the virtual properties and the streams of a clause need, and the media of the entities. */
function neededBy(
  clause: SelectExpandClause,
  { properties, ignoredProperties, media }: EntityType,
): readonly StructuralProperty[] {
  const needs = virtualNeeds(clause);
  if (needs.size === 0 && media === undefined) return NOTHING;
  return [...properties, ...ignoredProperties].filter(({ field }) => needs.has(field) || field === media?.field);
}

/** Returns the selected properties as entities have them: in place of virtual properties, those that they need. */
export function storedSelection(clause: SelectExpandClause, entityType: EntityType): readonly SelectedProperty[] {
  const needed = neededBy(clause, entityType);
  if (needed.length === 0) return storedIn(clause);
  const others = storedIn(clause).filter(({ property }) => !needed.includes(property));
  return [...others, ...needed.map((property) => ({ property }))];
}

/** Joins may use ignored properties, which no client sees. */
function ignoredAmong(
  join: readonly StructuralProperty[],
  { ignoredProperties }: EntityType,
): readonly StructuralProperty[] {
  return ignoredProperties.filter((property) => join.includes(property));
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Returns the clause of a read that selects no properties. The read still returns those for control information. */
export const selectNothing: (entityType: EntityType) => SelectExpandClause = keptPer(() => selectOnly([]));

/** Returns the clause of a read of one whole property, with the media type of its bytes. */
export const selectProperty: (property: StructuralProperty) => SelectExpandClause = keptPer((property) =>
  selectOnly([property, ...(property.mediaType?.kind === "stored" ? [property.mediaType.property] : [])]),
);

function selectOnly(properties: readonly StructuralProperty[]): SelectExpandClause {
  const selected = Object.freeze(properties.map((property) => Object.freeze({ property })));
  return Object.freeze({ selected, isSelection: true, contextSelect: NOTHING, expanded: NOTHING });
}
