import { keeper, keptPer } from "../base/memo.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { FilterClause, OrderByItem } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";

/**
 * The plan for applying a query with navigations to a list of entities. To load as few related entities as possible, it
 * applies the conditions on the entity itself first, then the other conditions, then the order.
 */
export interface MentionsPlan {
  /** The conditions without navigations; null: none. */
  readonly ownFilter: FilterClause | null;
  /** The conditions with navigations, as a query; null: none. */
  readonly filter: QueryClauses | null;
  /** The order with navigations, as a query; null: it has none. */
  readonly orderBy: QueryClauses | null;
}

/** The conditions of a filter, by whether they contain navigations. */
type FilterPlan = Pick<MentionsPlan, "ownFilter" | "filter">;

const NO_FILTER: FilterPlan = Object.freeze({ ownFilter: null, filter: null });
const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/**
 * Plans how a query is applied to a list of entities.
 * @returns null if its expressions mention only the entity itself
 */
export function planMentions({ filter, orderBy }: QueryClauses): MentionsPlan | null {
  const filterPlan = filter === null ? NO_FILTER : splitFilter(filter);
  const orderPlan = orderBy.length === 0 ? null : planOrder(orderBy);
  return filterPlan.filter === null && orderPlan === null ? null : { ...filterPlan, orderBy: orderPlan };
}

const splitFilter = keptPer((filter: FilterClause): FilterPlan => {
  if (!leadsOn(filter.expression)) return { ownFilter: filter, filter: null };
  const { expression } = filter;
  const conditions =
    expression.kind === "logical" && expression.operator === "and" ? expression.operands : [expression];
  const own = allOf(conditions.filter((condition) => !leadsOn(condition)));
  return { ownFilter: own, filter: keeper({ filter: allOf(conditions.filter(leadsOn)), orderBy: NO_ORDER }) };
});

function leadsOn(expression: Expression): boolean {
  return mentionsOf({ filter: { expression }, orderBy: NO_ORDER }) !== null;
}

/** Joins conditions by `and`. An entity must meet all of them, so they can be applied one after another. */
function allOf(operands: readonly Expression[]): FilterClause | null {
  const [first] = operands;
  if (first === undefined) return null;
  const type = PRIMITIVE_TYPES["Edm.Boolean"];
  return keeper<FilterClause>({
    expression: operands.length === 1 ? first : { kind: "logical", operator: "and", operands, type },
  });
}

const planOrder = keptPer((orderBy: readonly OrderByItem[]): QueryClauses | null => {
  const clauses: QueryClauses = keeper({ filter: null, orderBy });
  return mentionsOf(clauses) === null ? null : clauses;
});
