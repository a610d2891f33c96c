import { keeper, keptPerPair } from "../base/memo.ts";
import type { Context } from "../definition/context.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySetHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet, StructuralProperty } from "../edm/model.ts";
import type {
  ExpandedNavigation,
  OrderByItem,
  QueryShape,
  RoundingMode,
  SearchClause,
  SelectExpandClause,
} from "../query/clauses.ts";
import { continuationOptions } from "../query/continuation.ts";
import type { SourceQuery } from "../query/source.ts";
import { expansionWays, parentProperties, planRelated, type RelatedLoad, type RelatedWay } from "./plan-related.ts";
import { hasNavigationRoute } from "./table-navigation.ts";
import { totalOrder } from "./total-order.ts";

/** How many related entities of one parent are written. */
export interface ExpandedSize {
  /** Most that are written; undefined: all. */
  readonly size: number | undefined;
  /** Most that are read: one more than are written where that one tells whether there are more. */
  readonly readSize: number | undefined;
  /** What happens when there are more: nothing is said, a link is written, or the request is refused. */
  readonly beyond: "cut" | "link" | "refuse";
}

/** A `$search` on what an expansion leads to. */
export interface ExpandSearch {
  readonly search: NonNullable<EntitySetHandlers<Context>["search"]>;
  readonly clause: SearchClause;
  /** What a source that the handler answers is asked for: the keys of what it found. */
  readonly query: Omit<SourceQuery, "signal">;
}

/** One expansion: who loads it, what is applied to it, and what comes below. */
export interface ExpandStep {
  readonly expansion: ExpandedNavigation;
  /** Set and navigation property, for messages: `Countries/Cities`. */
  readonly place: string;
  /** Who brings the related entities, in the order of preference. */
  readonly ways: readonly RelatedWay[];
  /** The read of the target set, where it is one of the ways; null: it is none. */
  readonly related: RelatedLoad | null;
  /** Null without `$search`. */
  readonly search: ExpandSearch | null;
  /** Total; empty for the order in which the related entities come. */
  readonly orderBy: readonly OrderByItem[];
  readonly page: ExpandedSize;
  /** Null where nothing is expanded below. */
  readonly below: ExpandPlan | null;
}

/** The expansions of one level, in the order of the clause. Never empty. */
export interface ExpandPlan {
  readonly steps: readonly ExpandStep[];
  /** The properties of the parents by which steps that read the target set find what belongs to them. */
  readonly joinProperties: readonly StructuralProperty[];
  /** Whether the key of the parents is needed: handlers are asked by it, and links are made from it. */
  readonly needsKey: boolean;
}

/** What a plan depends on beside the clause. */
export type ExpandScope = Pick<ServiceDefinition, "entitySets" | "limits">;

/**
 * Plans the expansions of a clause: a batch handler is preferred to one that is called for each parent.
 * @returns the same plan for a clause each time; null where the clause expands nothing
 * @see specification, $expand, rules 2 and 3
 */
export function planExpand(clause: SelectExpandClause, scope: ExpandScope): ExpandPlan | null {
  if (clause.expanded.length === 0) return null;
  return planOf(clause, scope);
}

const planOf = keptPerPair((clause: SelectExpandClause, scope: ExpandScope): ExpandPlan => {
  const steps = clause.expanded.map((expansion) => planStep(expansion, scope));
  const joined = steps.flatMap(({ related }) => (related === null ? [] : parentProperties(related.join)));
  const plan = keeper<ExpandPlan>({
    steps,
    joinProperties: Object.freeze([...new Set(joined)]),
    needsKey: steps.some(({ ways, page }) => page.beyond === "link" || ways.some(isAskedByKey)),
  });
  return Object.freeze(plan);
});

function planStep(expansion: ExpandedNavigation, scope: ExpandScope): ExpandStep {
  const { entitySet, navigationProperty, orderBy, selectExpand } = expansion;
  const handlers = scope.entitySets.get(entitySet.name)?.navigationHandlers.get(navigationProperty.name) ?? {};
  const below = planExpand(selectExpand, scope);
  const { get, getBatch } = handlers;
  const isHandled = (getBatch ?? get) !== undefined;
  const related = isHandled ? null : planRelated(expansion, below?.joinProperties ?? [], scope);
  const step = keeper<ExpandStep>({
    expansion,
    place: `${entitySet.name}/${navigationProperty.name}`,
    ways: expansionWays(handlers, related),
    related,
    search: planSearch(expansion, scope),
    orderBy: orderBy.length === 0 ? orderBy : totalOrder(orderBy, navigationProperty.entityType),
    page: planSize(expansion, scope),
    below,
  });
  return Object.freeze(step);
}

function isAskedByKey({ kind }: RelatedWay): boolean {
  return kind === "batch" || kind === "each";
}

/** The target set has a handler: the binder has refused the option without one. */
function planSearch(
  { search: clause, target, roundingMode }: ExpandedNavigation,
  scope: ExpandScope,
): ExpandSearch | null {
  const search = target === null ? undefined : scope.entitySets.get(target.name)?.handlers.search;
  if (clause === null || target === null || search === undefined) return null;
  return searchOfKeys({ search, clause }, target, roundingMode);
}

/** A search that is asked for nothing but the keys of the entities that it finds. */
export function searchOfKeys(
  { search, clause }: Pick<ExpandSearch, "search" | "clause">,
  target: EntitySet,
  roundingMode: RoundingMode,
): ExpandSearch {
  const { entityType } = target;
  const selected = Object.freeze(entityType.key.map((property) => ({ property })));
  const shape = keeper<QueryShape>({
    key: "",
    entitySet: target,
    entityType,
    filter: null,
    orderBy: [],
    selectExpand: { selected, isSelection: true, contextSelect: [], expanded: [] },
    parameters: [],
    roundingMode,
  });
  Object.freeze(shape);
  const query = { shape, values: [], filter: null, selected, orderBy: [], skip: 0, top: undefined, count: false };
  return Object.freeze({ search, clause, query });
}

/** Whether the navigation route can go on with a list that is cut. */
function canContinue(expansion: ExpandedNavigation, scope: ExpandScope): boolean {
  const { entitySet, navigationProperty } = expansion;
  return continuationOptions(expansion) !== null && hasNavigationRoute(scope, entitySet, navigationProperty.name);
}

/**
 * An explicit `$top` is served as it is: the binder has refused what is above `maxExpandTop`. Without one the list ends
 * there, never silently: with a link where the navigation route can go on with it, else with an error.
 * @see decisions, Reading; OData JSON Format 4.0, section 8.3
 */
function planSize(expansion: ExpandedNavigation, scope: ExpandScope): ExpandedSize {
  const { form, top, navigationProperty } = expansion;
  const { maxExpandTop } = scope.limits;
  if (form === "count") return { size: 0, readSize: 0, beyond: "cut" };
  if (!navigationProperty.isCollection) return { size: 1, readSize: 1, beyond: "cut" };
  if (top !== undefined) return { size: top, readSize: top, beyond: "cut" };
  if (maxExpandTop === null) return { size: undefined, readSize: undefined, beyond: "cut" };
  const beyond = canContinue(expansion, scope) ? "link" : "refuse";
  return { size: maxExpandTop, readSize: maxExpandTop + 1, beyond };
}
