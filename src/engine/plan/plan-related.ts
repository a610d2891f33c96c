import type { Context } from "../../definition/context.ts";
import type { NavigationHandlers } from "../../definition/handlers.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import { type JoinedTarget, joinedTarget } from "../../definition/startup/expansion-sources.ts";
import type { DirectJoin, EntitySet, NavigationJoin, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { ExpandedNavigation, SelectedProperty } from "../../language/query/clauses.ts";
import { keyProperties, propertiesToRead } from "./properties-to-read.ts";

/** The handler of a navigation as a way of reading it. */
export type HandlerWay =
  /** The handler is called once, with the keys of all parents. */
  | { readonly kind: "batch"; readonly getBatch: NonNullable<NavigationHandlers<Context>["getBatch"]> }
  /** The handler is called per key. */
  | { readonly kind: "each"; readonly get: NonNullable<NavigationHandlers<Context>["get"]> };

/** A way of reading the related entities of a navigation. */
export type RelatedWay =
  | HandlerWay
  | TargetWay
  | ListWay
  /** The handlers of the parents have returned the related entities with them. */
  | { readonly kind: "loaded" };

/** The target set is read once for all parents, by the join of the navigation. */
export interface TargetWay {
  readonly kind: "target";
  readonly join: NavigationJoin;
  readonly target: EntitySet;
}

/** The target set is read once for all parents, as a list in memory. */
export interface ListWay {
  readonly kind: "list";
  readonly join: DirectJoin;
  readonly target: EntitySet;
}

/** The read of the target set for an expansion. */
export interface RelatedLoad extends TargetWay {
  /** The properties of the related entities that the response and nested expansions need. */
  readonly selected: readonly SelectedProperty[];
  /** Whether the key of the target limits each parent to one related entity, which can be joined to the parent's row. */
  readonly isJoinable: boolean;
  /** Whether the related entities can be read by their keys. */
  readonly isReadByKey: boolean;
}

const LOADED: RelatedWay = Object.freeze({ kind: "loaded" });

/**
 * Returns the ways of reading an expansion, in the order of preference. A navigation with a handler is always expanded by
 * the handler.
 * @param related the target set, if a database may read it
 * @param list the target set, if it may be read as a list: results of the handlers of the parents take precedence
 * @see docs/reference/expand.md
 */
export function expansionWays(
  handlers: NavigationHandlers<Context>,
  related: RelatedLoad | null,
  list: ListWay | null,
): readonly RelatedWay[] {
  const way = handlerWay(handlers, "batch");
  if (way !== null) return [way];
  return [related, LOADED, list].filter((each) => each !== null);
}

/**
 * Returns the ways of reading a path in an expression, in the order of preference: one read of the target set is cheaper
 * than a call per key. A later way reads the parents that the previous way cannot.
 */
export function pathWays(step: PathStep, handlers: NavigationHandlers<Context>): readonly RelatedWay[] {
  const way = handlerWay(handlers, "batch");
  if (way?.kind === "batch") return [way];
  const related = targetWay(step);
  return related === null ? [way ?? LOADED] : [related, way ?? LOADED];
}

/** Returns the read of the target set if a join is declared; otherwise null. */
export function targetWay({ entitySet, navigationProperty, target }: PathStep): TargetWay | null {
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  return join === undefined || target === null ? null : { kind: "target", join, target };
}

/** Returns the handlers of a navigation property of a set. */
export function findNavigationHandlers(
  { entitySets }: Pick<ServiceDefinition, "entitySets">,
  entitySet: EntitySet,
  name: string,
): NavigationHandlers<Context> {
  return entitySets.get(entitySet.name)?.navigationHandlers.get(name) ?? {};
}

/** A navigation in a path. */
export interface PathStep {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  /** Null if the related entities have no set. */
  readonly target: EntitySet | null;
}

/**
 * Returns the handler of a navigation, for its routes or for many parents.
 * @param preferred the handler to call if both are declared
 * @returns null without a handler
 */
export function handlerWay(
  { get, getBatch }: NavigationHandlers<Context>,
  preferred: "batch" | "each",
): HandlerWay | null {
  if (getBatch !== undefined && (preferred === "batch" || get === undefined)) return { kind: "batch", getBatch };
  return get === undefined ? null : { kind: "each", get };
}

/**
 * Plans the read of an expansion from the database of the target set.
 * @param joinProperties the properties of the related entities that the nested expansions join by
 * @returns null if the set disables expansion by the data source, no join is declared, or the target set has no rows
 * @see docs/reference/expand.md
 */
export function planRelated(
  expansion: ExpandedNavigation,
  joinProperties: readonly StructuralProperty[],
  { entitySets }: Pick<ServiceDefinition, "entitySets">,
): RelatedLoad | null {
  const { navigationProperty, target, form, search } = expansion;
  const joined = findJoined(expansion, entitySets);
  if (joined === null || target === null || joined.rows === "none") return null;
  const { join } = joined;
  const targetSet = entitySets.get(target.name);
  const selectPushdownEnabled = targetSet?.settings.selectPushdownEnabled === true;
  return Object.freeze<RelatedLoad>({
    kind: "target",
    join,
    target,
    selected:
      form === "entities"
        ? // In the row of a parent, the key shows whether there is a related entity.
          propertiesToRead(target, expansion.selectExpand, {
            key: true,
            pushdown: selectPushdownEnabled,
            join: joinProperties,
          })
        : keyProperties(target.entityType),
    isJoinable: !navigationProperty.isCollection && search === null && leadsToKey(join, target),
    isReadByKey: targetSet?.handlers.getByKey !== undefined,
  });
}

/** Plans the read of an expansion from the list of the target set. @returns null if it is not a list, or has no join */
export function planList(
  expansion: ExpandedNavigation,
  { entitySets }: Pick<ServiceDefinition, "entitySets">,
): ListWay | null {
  const { target } = expansion;
  const list = findJoined(expansion, entitySets)?.list ?? null;
  return list === null || target === null ? null : Object.freeze<ListWay>({ kind: "list", join: list, target });
}

function findJoined(
  { entitySet, navigationProperty, target }: PathStep,
  entitySets: ServiceDefinition["entitySets"],
): JoinedTarget | null {
  const set = entitySets.get(entitySet.name);
  return set === undefined ? null : joinedTarget(set, navigationProperty.name, entitySets.get(target?.name ?? ""));
}

/** Otherwise a parent may have several related entities, and would appear in several rows. */
function leadsToKey(join: NavigationJoin, { entityType }: EntitySet): boolean {
  return (
    join.kind === "direct" && entityType.key.every((property) => join.pairs.some(({ related }) => related === property))
  );
}
