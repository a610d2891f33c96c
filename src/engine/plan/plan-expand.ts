import { keptPer, keptPerPair } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetHandlers } from "../../definition/handlers.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, StructuralProperty } from "../../edm/model.ts";
import type {
  ExpandedNavigation,
  OrderByItem,
  QueryShape,
  SearchClause,
  SelectExpandClause,
} from "../../language/query/clauses.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import { isPath, stepsOf } from "../../language/query/walk-expression.ts";
import {
  expansionWays,
  findNavigationHandlers,
  planList,
  planRelated,
  type RelatedLoad,
  type RelatedWay,
} from "./plan-related.ts";
import { keyProperties, parentProperties } from "./properties-to-read.ts";
import { hasNavigationRoute } from "./table-navigation.ts";
import { totalOrder } from "./total-order.ts";

/** The number of related entities per parent. */
interface ExpandedSize {
  /** Maximum number to write; undefined: all. */
  readonly size: number | undefined;
  /** Maximum number to read: one more than `size` if that entity shows whether more exist. */
  readonly readSize: number | undefined;
  /** The result if there are more: they are ignored, a next link is written, or the request is refused. */
  readonly beyond: "cut" | "link" | "refuse";
}

/** A `$search` on the related entities of an expansion. */
export interface ExpandSearch {
  readonly search: NonNullable<EntitySetHandlers<Context>["search"]>;
  readonly clause: SearchClause;
  /** The query for the keys of the found entities, if the handler returns a source. */
  readonly query: Omit<SourceQuery, "signal">;
}

/** The plan of one expansion: its ways of loading, its options, and the expansions below it. */
export interface ExpandStep {
  readonly expansion: ExpandedNavigation;
  /** Set and navigation property, for messages: `Countries/Cities`. */
  readonly place: string;
  /** The ways of reading the related entities, in the order of preference. */
  readonly ways: readonly RelatedWay[];
  /** The read of the target set, if it is one of the ways; otherwise null. */
  readonly related: RelatedLoad | null;
  /** Null without `$search`. */
  readonly search: ExpandSearch | null;
  /** Total; empty for the order in which the related entities are returned. */
  readonly orderBy: readonly OrderByItem[];
  readonly page: ExpandedSize;
  /** Null without nested expansions. */
  readonly below: ExpandPlan | null;
}

/** The expansions of one level, in the order of the clause. Never empty. */
export interface ExpandPlan {
  readonly steps: readonly ExpandStep[];
  /** The properties of the parents by which the target sets are joined. */
  readonly joinProperties: readonly StructuralProperty[];
  /** Whether the key of the parents is needed, for handlers or for links. */
  readonly needsKey: boolean;
}

/** The other input of a plan, besides the clause. */
type PlanScope = Pick<ServiceDefinition, "entitySets" | "limits" | "profile">;

/**
 * Plans the expansions of a clause. A batch handler takes precedence over a handler that is called per parent.
 * @returns the same plan for each call with a clause; null without expansions
 * @see docs/reference/expand.md
 */
export function planExpand(clause: SelectExpandClause, scope: PlanScope): ExpandPlan | null {
  if (clause.expanded.length === 0) return null;
  return planOf(clause, scope);
}

const planOf = keptPerPair((clause: SelectExpandClause, scope: PlanScope): ExpandPlan => {
  const steps = clause.expanded.map((expansion) => planStep(expansion, scope));
  const joined = steps.flatMap(({ ways }) =>
    ways.flatMap((way) => (way.kind === "target" || way.kind === "list" ? parentProperties(way.join) : [])),
  );
  const plan: ExpandPlan = {
    steps,
    joinProperties: Object.freeze([...new Set(joined)]),
    needsKey: steps.some(({ ways, page }) => page.beyond === "link" || ways.some(isAskedByKey)),
  };
  return Object.freeze(plan);
});

function planStep(expansion: ExpandedNavigation, scope: PlanScope): ExpandStep {
  const { entitySet, navigationProperty, orderBy, selectExpand } = expansion;
  const handlers = findNavigationHandlers(scope, entitySet, navigationProperty.name);
  const below = planExpand(selectExpand, scope);
  const { get, getBatch } = handlers;
  const isHandled = (getBatch ?? get) !== undefined;
  const related = isHandled ? null : planRelated(expansion, below?.joinProperties ?? [], scope);
  const step: ExpandStep = {
    expansion,
    place: `${entitySet.name}/${navigationProperty.name}`,
    ways: expansionWays(handlers, related, isHandled ? null : planList(expansion, scope)),
    related,
    search: planSearch(expansion, scope),
    orderBy: orderBy.length === 0 ? orderBy : totalOrder(orderBy, navigationProperty.entityType),
    page: planSize(expansion, scope),
    below,
  };
  return Object.freeze(step);
}

function isAskedByKey({ kind }: RelatedWay): boolean {
  return kind === "batch" || kind === "each";
}

/** Plans `$search`. The binder has refused it unless the target set has a handler. */
function planSearch({ search: clause, target }: ExpandedNavigation, scope: PlanScope): ExpandSearch | null {
  const search = target === null ? undefined : scope.entitySets.get(target.name)?.handlers.search;
  if (clause === null || target === null || search === undefined) return null;
  return Object.freeze({ search, clause, query: keyQuery(target) });
}

/** Returns the query for the keys of a set's entities. */
export const keyQuery: (entitySet: EntitySet) => ExpandSearch["query"] = keptPer((entitySet) => {
  const { entityType } = entitySet;
  const selected = keyProperties(entityType);
  const shape: QueryShape = {
    key: "",
    entitySet,
    entityType,
    filter: null,
    orderBy: [],
    selectExpand: { selected, isSelection: true, contextSelect: [], expanded: [] },
    parameters: [],
    roundingMode: "spec-compliant",
  };
  Object.freeze(shape);
  const { orderBy } = shape;
  return Object.freeze({ shape, values: [], filter: null, selected, orderBy, skip: 0, top: undefined, count: false });
});

/**
 * Returns whether the navigation route can continue a truncated list: whether it exists, and takes the options of the list.
 * @see docs/reference/expand.md
 */
function canContinue(expansion: ExpandedNavigation, scope: PlanScope): boolean {
  const { entitySet, navigationProperty, form, isRepeated, filter, search, orderBy, selectExpand } = expansion;
  const { expanded, computed = [] } = selectExpand;
  const isPlain = filter === null && search === null && expanded.length === 0 && computed.length === 0;
  const takesOptions = scope.profile.navigationTakesEveryOption || (isPlain && orderBy.every(isOwnPath));
  if (form !== "entities" || isRepeated === true || !takesOptions) return false;
  return hasNavigationRoute(scope, entitySet, navigationProperty.name);
}

function isOwnPath({ expression }: OrderByItem): boolean {
  return isPath(expression) && stepsOf(expression).start.kind === "it";
}

/**
 * Returns the size of an expansion. An explicit `$top` applies as given, because the binder refuses a value above
 * `maxExpandTop`. Without `$top`, `maxExpandTop` truncates the list: with a next link if the navigation route can continue
 * it, otherwise with an error.
 * @see OData JSON Format 4.0, section 8.3
 */
function planSize(expansion: ExpandedNavigation, scope: PlanScope): ExpandedSize {
  const { form, top, navigationProperty } = expansion;
  const { maxExpandTop } = scope.limits;
  if (form === "count") return { size: 0, readSize: 0, beyond: "cut" };
  if (!navigationProperty.isCollection) return { size: 1, readSize: 1, beyond: "cut" };
  if (top !== undefined) return { size: top, readSize: top, beyond: "cut" };
  if (maxExpandTop === null) return { size: undefined, readSize: undefined, beyond: "cut" };
  const beyond = canContinue(expansion, scope) ? "link" : "refuse";
  return { size: maxExpandTop, readSize: maxExpandTop + 1, beyond };
}
