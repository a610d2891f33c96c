import type { Context } from "../definition/context.ts";
import type { NavigationHandlers } from "../definition/handlers.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { ExpandedNavigation, OrderByItem, SelectExpandClause } from "../query/clauses.ts";
import { continuationOptions } from "../query/continuation.ts";
import { totalOrder } from "./total-order.ts";

/** Who brings the related entities of one expansion. */
export type ExpandLoad =
  | { readonly kind: "batch"; readonly getBatch: NonNullable<NavigationHandlers<Context>["getBatch"]> }
  | { readonly kind: "each"; readonly get: NonNullable<NavigationHandlers<Context>["get"]> }
  /** Nobody: what the handler of the parents put into them is what there is. */
  | { readonly kind: "asLoaded" };

/** How many related entities of one parent are written. */
export interface ExpandedSize {
  /** Most that are written; undefined: all. */
  readonly size: number | undefined;
  /** Most that are read: one more than are written where that one tells whether there are more. */
  readonly readSize: number | undefined;
  /** What happens when there are more: nothing is said, a link is written, or the request is refused. */
  readonly beyond: "cut" | "link" | "refuse";
}

/** One expansion: who loads it, what is applied to it, and what comes below. */
export interface ExpandStep {
  readonly expansion: ExpandedNavigation;
  /** Set and navigation property, for messages: `Countries/Cities`. */
  readonly place: string;
  readonly load: ExpandLoad;
  /** Total; empty for the order in which the related entities come. */
  readonly orderBy: readonly OrderByItem[];
  readonly page: ExpandedSize;
  /** Null where nothing is expanded below. */
  readonly below: ExpandPlan | null;
}

/** The expansions of one level, in the order of the clause. Never empty. */
export interface ExpandPlan {
  readonly steps: readonly ExpandStep[];
}

/** What a plan depends on beside the clause. */
export type ExpandScope = Pick<ServiceDefinition, "entitySets" | "limits">;

/** A clause is of one service, so its plan is too. */
const plans = new WeakMap<SelectExpandClause, ExpandPlan>();

/**
 * Plans the expansions of a clause: a batch handler is preferred to one that is called for each parent.
 * @returns the same plan for a clause each time; null where the clause expands nothing
 * @see specification, $expand, rules 2 and 3
 */
export function planExpand(clause: SelectExpandClause, scope: ExpandScope): ExpandPlan | null {
  if (clause.expanded.length === 0) return null;
  const known = plans.get(clause);
  if (known !== undefined) return known;
  const plan = Object.freeze({ steps: clause.expanded.map((expansion) => planStep(expansion, scope)) });
  plans.set(clause, plan);
  return plan;
}

function planStep(expansion: ExpandedNavigation, scope: ExpandScope): ExpandStep {
  const { entitySet, navigationProperty, orderBy, selectExpand } = expansion;
  const handlers = scope.entitySets.get(entitySet.name)?.navigationHandlers.get(navigationProperty.name) ?? {};
  return Object.freeze({
    expansion,
    place: `${entitySet.name}/${navigationProperty.name}`,
    load: planLoad(handlers),
    orderBy: orderBy.length === 0 ? orderBy : totalOrder(orderBy, navigationProperty.entityType),
    page: planSize(expansion, handlers, scope.limits.maxExpandTop),
    below: planExpand(selectExpand, scope),
  });
}

function planLoad({ getBatch, get }: NavigationHandlers<Context>): ExpandLoad {
  if (getBatch !== undefined) return { kind: "batch", getBatch };
  return get === undefined ? { kind: "asLoaded" } : { kind: "each", get };
}

/**
 * An explicit `$top` is served as it is: the binder has refused what is above `maxExpandTop`. Without one the list ends
 * there, never silently: with a link where the navigation route can go on with it, else with an error.
 * @see decisions, Reading; OData JSON Format 4.0, section 8.3
 */
function planSize(
  expansion: ExpandedNavigation,
  { get, getBatch }: NavigationHandlers<Context>,
  maxExpandTop: number | null,
): ExpandedSize {
  const { form, top } = expansion;
  if (form === "count") return { size: 0, readSize: 0, beyond: "cut" };
  if (top !== undefined) return { size: top, readSize: top, beyond: "cut" };
  if (maxExpandTop === null) return { size: undefined, readSize: undefined, beyond: "cut" };
  const hasRoute = (get ?? getBatch) !== undefined && continuationOptions(expansion) !== null;
  return { size: maxExpandTop, readSize: maxExpandTop + 1, beyond: hasRoute ? "link" : "refuse" };
}
