import type { CollectionQuery } from "../definition/handlers.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ExpandedNavigation, FilterClause, OrderByItem, SelectExpandClause } from "../query/clauses.ts";
import { fillParameters } from "../query/walk-expression.ts";
import type { CollectionPlan } from "./plan-collection.ts";

/**
 * Returns the bound query for an `applyQuery` handler, with a literal for each parameter.
 * @see docs/reference/handlers.md
 */
export function toCollectionQuery(plan: CollectionPlan): CollectionQuery {
  const { query, page } = plan;
  const { shape, values } = query;
  const filter = fillFilter(shape.filter, values);
  const orderBy = fillOrder(shape.orderBy, values);
  return {
    filter,
    orderBy,
    select: shape.selectExpand.isSelection ? shape.selectExpand.selected : null,
    expand: fillExpansions(shape.selectExpand, values),
    search: query.search,
    skip: plan.skip,
    top: query.top,
    count: query.count,
    pageSize: query.top === undefined ? (page.size ?? null) : null,
  };
}

function fillFilter(filter: FilterClause | null, values: readonly PrimitiveValue[]): FilterClause | null {
  return filter === null ? null : { expression: fillParameters(filter.expression, values) };
}

function fillOrder(orderBy: readonly OrderByItem[], values: readonly PrimitiveValue[]): readonly OrderByItem[] {
  return orderBy.map(({ expression, descending }) => ({ expression: fillParameters(expression, values), descending }));
}

function fillExpansions(
  { expanded }: SelectExpandClause,
  values: readonly PrimitiveValue[],
): readonly ExpandedNavigation[] | null {
  if (expanded.length === 0) return null;
  return expanded.map((expansion) => ({
    ...expansion,
    filter: fillFilter(expansion.filter, values),
    orderBy: fillOrder(expansion.orderBy, values),
    selectExpand: { ...expansion.selectExpand, expanded: fillExpansions(expansion.selectExpand, values) ?? [] },
  }));
}
