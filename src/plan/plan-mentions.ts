import { keeper, keptPer } from "../base/memo.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { FilterClause, OrderByItem } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";

/**
 * How a query whose expressions lead to other entities is applied to a list, so that as few as possible are loaded: the
 * conditions on the entity itself first, then the others, then the order of what is left.
 */
export interface MentionsPlan {
  /** The conditions that mention nothing else; null: there is none. */
  readonly ownFilter: FilterClause | null;
  /** The other conditions, as a query; null: none leads anywhere. */
  readonly filter: QueryClauses | null;
  /** The order as a query; null where it leads nowhere. */
  readonly orderBy: QueryClauses | null;
}

/** What was made of a filter. */
type FilterPlan = Pick<MentionsPlan, "ownFilter" | "filter">;

const NO_FILTER: FilterPlan = Object.freeze({ ownFilter: null, filter: null });
const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/**
 * Plans how a query is applied to a list of entities.
 * @returns null where its expressions mention nothing but the entity
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

/** Only what is true of all conditions stays, so they can be asked for one after another. */
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
