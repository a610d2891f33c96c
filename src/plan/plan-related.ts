import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { QueryableHandler } from "../definition/sets/handlers.ts";
import type { EntitySet, NavigationJoin, StructuralProperty } from "../edm/model.ts";
import type { ExpandedNavigation, SelectedProperty } from "../query/clauses.ts";
import { keyProperties, propertiesToRead } from "./properties-to-read.ts";

/** Related entities that no handler brings: their own set is read, by what the navigation says of how they are found. */
export interface RelatedLoad {
  readonly kind: "related";
  readonly join: NavigationJoin;
  readonly target: EntitySet;
  /** Of the target set. */
  readonly queryable: QueryableHandler<Context>;
  /** The properties of the related entities that the answer needs, and what is below. */
  readonly selected: readonly SelectedProperty[];
  /** Whether a parent has one related entity at most by the key of the target: then it can stand in the parent's row. */
  readonly isJoinable: boolean;
}

/**
 * Plans the read of an expansion from the target set itself.
 * @param joinProperties of the related entities, by which the expansions of the next level find what belongs to them
 * @returns null where it is not eligible: the set keeps it out of the data source, nothing says how the related entities
 *   are found, or the target set has no `queryable`
 * @see specification, $expand, rule 2
 */
export function planRelated(
  expansion: ExpandedNavigation,
  joinProperties: readonly StructuralProperty[],
  { entitySets }: Pick<ServiceDefinition, "entitySets">,
): RelatedLoad | null {
  const { entitySet, navigationProperty, target, form, search } = expansion;
  const eligible = eligibleJoin(entitySets.get(entitySet.name), navigationProperty.name);
  const definition = entitySets.get(target?.name ?? "");
  const queryable = definition?.handlers.queryable;
  if (eligible === null || target === null || definition === undefined || queryable === undefined) return null;
  const { selectPushdownEnabled } = definition.settings;
  return Object.freeze<RelatedLoad>({
    kind: "related",
    join: eligible,
    target,
    queryable,
    selected:
      form === "entities"
        ? // The key tells in the row of a parent whether there is an entity.
          propertiesToRead(target, expansion.selectExpand, {
            key: true,
            pushdown: selectPushdownEnabled,
            join: joinProperties,
          })
        : keyProperties(target.entityType),
    isJoinable: !navigationProperty.isCollection && search === null && leadsToKey(eligible, target),
  });
}

/** How the related entities of a navigation are found, where its set lets the data source expand it; else null. */
export function eligibleJoin(set: EntitySetDefinition | undefined, navigation: string): NavigationJoin | null {
  if (set === undefined || !set.settings.expandPushdownEnabled) return null;
  return set.entitySet.navigationJoins.get(navigation) ?? null;
}

/** The properties of the parents by which a join finds what is related to them, in the order of the join. */
export function parentProperties(join: NavigationJoin): readonly StructuralProperty[] {
  return (join.kind === "direct" ? join.pairs : join.from).map(({ property }) => property);
}

/** Otherwise one parent might have several, and would stand in several rows. */
function leadsToKey(join: NavigationJoin, { entityType }: EntitySet): boolean {
  return (
    join.kind === "direct" && entityType.key.every((property) => join.pairs.some(({ related }) => related === property))
  );
}
