import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { NavigationHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet, NavigationJoin, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import type { ExpandedNavigation, SelectedProperty } from "../query/clauses.ts";
import { keyProperties, propertiesToRead } from "./properties-to-read.ts";

/** A way in which the entities that a navigation leads to are read. */
export type RelatedWay =
  /** The handler of the navigation is called once, with the keys of all parents. */
  | { readonly kind: "batch"; readonly getBatch: NonNullable<NavigationHandlers<Context>["getBatch"]> }
  /** The handler of the navigation is called for each key. */
  | { readonly kind: "each"; readonly get: NonNullable<NavigationHandlers<Context>["get"]> }
  | TargetWay
  /** The handlers of the parents have put the related entities into them. */
  | { readonly kind: "loaded" };

/** The target set is read once for all parents, by the join of the navigation. */
export interface TargetWay {
  readonly kind: "target";
  readonly join: NavigationJoin;
  readonly target: EntitySet;
}

/** The target set as an expansion reads it. */
export interface RelatedLoad extends TargetWay {
  /** The properties of the related entities that the response needs, and what is below. */
  readonly selected: readonly SelectedProperty[];
  /** Whether a parent has one related entity at most by the key of the target: then it can stand in the parent's row. */
  readonly isJoinable: boolean;
}

const LOADED: RelatedWay = Object.freeze({ kind: "loaded" });

/**
 * Chooses the ways in which an expansion is read, in the order of preference: a navigation with a handler is always
 * expanded by the handler.
 * @param related the target set, where it can be read
 * @see docs/reference/expand.md
 */
export function expansionWays(
  handlers: NavigationHandlers<Context>,
  related: RelatedLoad | null,
): readonly RelatedWay[] {
  const way = handlerWay(handlers, "batch");
  if (way !== null) return [way];
  return related === null ? [LOADED] : [related, LOADED];
}

/**
 * Chooses the ways in which a path of an expression is read, in the order of preference: one read of the target set is
 * cheaper than a call for each key. A later way brings what the way before it cannot tell.
 */
export function pathWays(step: PathStep, handlers: NavigationHandlers<Context>): readonly RelatedWay[] {
  const way = handlerWay(handlers, "batch");
  if (way?.kind === "batch") return [way];
  const related = targetWay(step);
  return related === null ? [way ?? LOADED] : [related, way ?? LOADED];
}

/** Returns the read of the target set, where a join tells what is related; else null. */
export function targetWay({ entitySet, navigationProperty, target }: PathStep): TargetWay | null {
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  return join === undefined || target === null ? null : { kind: "target", join, target };
}

/** A navigation as a path goes along it. */
export interface PathStep {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  /** Null where the related entities belong to no set. */
  readonly target: EntitySet | null;
}

/**
 * Returns the handler of a navigation, for its routes or for many parents.
 * @param preferred which of two handlers is called
 * @returns null without one
 */
export function handlerWay(
  { get, getBatch }: NavigationHandlers<Context>,
  preferred: "batch" | "each",
): Exclude<RelatedWay, { readonly kind: "target" | "loaded" }> | null {
  if (getBatch !== undefined && (preferred === "batch" || get === undefined)) return { kind: "batch", getBatch };
  return get === undefined ? null : { kind: "each", get };
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
  if (eligible === null || target === null || definition?.handlers.queryable === undefined) return null;
  const { selectPushdownEnabled } = definition.settings;
  return Object.freeze<RelatedLoad>({
    kind: "target",
    join: eligible,
    target,
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
