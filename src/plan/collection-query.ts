import type { CollectionQuery } from "../definition/handlers.ts";
import type { FilterClause, OrderByItem } from "../query/clauses.ts";
import { fillParameters } from "../query/fill-parameters.ts";
import type { CollectionPlan } from "./plan-collection.ts";

/**
 * The bound query as `applyQuery` gets it: every parameter replaced by its literal.
 * @see decisions, Smaller points
 */
export function toCollectionQuery(plan: CollectionPlan): CollectionQuery {
  const { query, page } = plan;
  const { shape, values } = query;
  const filter: FilterClause | null =
    shape.filter === null ? null : { expression: fillParameters(shape.filter.expression, values) };
  const orderBy: readonly OrderByItem[] = shape.orderBy.map((item) => ({
    expression: fillParameters(item.expression, values),
    descending: item.descending,
  }));
  return {
    filter,
    orderBy,
    select: shape.selectExpand.isSelection ? shape.selectExpand.selected : null,
    expand: null,
    search: query.search,
    skip: plan.skip,
    top: query.top,
    count: query.count,
    pageSize: query.top === undefined ? (page.size ?? null) : null,
  };
}
