import type { Context } from "../definition/context.ts";
import type { RowCondition } from "../definition/rules/row-conditions.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySetHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { ExpandedNavigation, FilterClause } from "../query/clauses.ts";
import { fillParameters } from "../query/fill-parameters.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import { serviceOf } from "./resolve-sources.ts";
import { wrapping } from "./restrict-source.ts";
import { conditionOf, NO_ROW } from "./row-restriction.ts";

/** Applies a query to a set. */
type ApplyQuery = NonNullable<EntitySetHandlers<Context>["applyQuery"]>;

/**
 * The handler that applies a query by itself, which gets the row rules as a part of its filters: that of the set, and
 * those of the sets that it may expand. Where expressions lead the handler could meet rows that the user does not see,
 * so they are refused.
 * @param set with or without a rule of its own
 */
export function restrictApplyQuery(set: EntitySetDefinition, applyQuery: ApplyQuery): ApplyQuery {
  const restricted: ApplyQuery = (query, context): ReturnType<ApplyQuery> => {
    const condition = conditionOf(set, context);
    refuseHidden(query, query.filter === null ? "$orderby" : "$filter", context);
    if (condition === "none") return { items: [], count: 0 };
    return applyQuery(
      { ...query, filter: restrictFilter(query.filter, condition), expand: restrictExpansions(query.expand, context) },
      context,
    );
  };
  return Object.assign(restricted, wrapping(applyQuery, undefined));
}

/** @throws ODataError `UnsupportedQueryOption` for expressions that lead to a set which keeps rows back */
function refuseHidden({ filter, orderBy }: QueryClauses, option: string, context: Context): void {
  const { entitySets } = serviceOf(context);
  const mentioned = mentionsOf({ filter, orderBy })?.entitySets ?? [];
  const hiding = mentioned.find(({ name }) => {
    const set = entitySets.get(name);
    return set !== undefined && conditionOf(set, context) !== "all";
  });
  if (hiding === undefined) return;
  const message = `Expressions that lead to ${hiding.name} are not offered in ${option}: the entity set applies it by itself.`;
  throw protocolError("UnsupportedQueryOption", message, { target: option });
}

function restrictFilter(filter: FilterClause | null, condition: RowCondition): FilterClause | null {
  if (condition === "all") return filter;
  if (condition === "none") return NO_ROW;
  const rule = fillParameters(condition.filter.expression, condition.values);
  if (filter === null) return { expression: rule };
  const type = PRIMITIVE_TYPES["Edm.Boolean"];
  return { expression: { kind: "logical", operator: "and", operands: [rule, filter.expression], type } };
}

/** What a handler of the navigation brings is not for this one to expand. */
function restrictExpansions(
  expand: readonly ExpandedNavigation[] | null,
  context: Context,
): readonly ExpandedNavigation[] | null {
  if (expand === null) return null;
  return expand.map((expansion) => {
    const { entitySet, navigationProperty, target, selectExpand } = expansion;
    const { entitySets } = serviceOf(context);
    const { get, getBatch } = entitySets.get(entitySet.name)?.navigationHandlers.get(navigationProperty.name) ?? {};
    if ((get ?? getBatch) === undefined) refuseHidden(expansion, "$expand", context);
    return {
      ...expansion,
      filter: restrictFilter(expansion.filter, conditionOfTarget(target, context)),
      selectExpand: { ...selectExpand, expanded: restrictExpansions(selectExpand.expanded, context) ?? [] },
    };
  });
}

function conditionOfTarget(target: EntitySet | null, context: Context): RowCondition {
  const set = serviceOf(context).entitySets.get(target?.name ?? "");
  return set === undefined ? "all" : conditionOf(set, context);
}
