import { protocolError } from "../../base/errors/odata-error.ts";
import { keptPer } from "../../base/memo.ts";
import type { CollectionQuery } from "../../definition/handlers.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { RowCondition } from "../../definition/types/row-conditions.ts";
import type { EntitySet, StructuralProperty } from "../../edm/model.ts";
import { allOf } from "../../language/query/all-of.ts";
import type {
  ApplyBranch,
  ApplyClause,
  ExpandedNavigation,
  FilterClause,
  FilterStep,
  OrderByItem,
} from "../../language/query/clauses.ts";
import type { Expression, ItExpression } from "../../language/query/expression.ts";
import { mentionsOf, type QueryClauses } from "../../language/query/mentions.ts";
import { NO_ROW } from "../../language/query/no-row.ts";
import { fillParameters, childrenOf } from "../../language/query/walk-expression.ts";
import { findNavigationHandlers } from "./plan-related.ts";

/** Returns the row rule of a set for the user of a request; `all` without a rule. */
export type ConditionOf = (entitySet: EntitySet) => RowCondition;

const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/**
 * Adds row rules to the query of an `applyQuery` handler: the rule of the set, and the rules of the sets that the handler
 * may expand.
 * @returns null if the user sees no rows of the set
 * @throws ODataError `UnsupportedQueryOption` for an expression that navigates to a set with a rule, because the handler
 *   would evaluate it over hidden rows
 * @see docs/guides/authorization.md
 */
export function restrictQuery(
  query: CollectionQuery,
  entitySet: EntitySet,
  conditionOf: ConditionOf,
  definition: Pick<ServiceDefinition, "entitySets">,
): CollectionQuery | null {
  const condition = conditionOf(entitySet);
  const { apply, filter, compute = [] } = query;
  if (apply !== undefined) refuseHidden({ filter: null, orderBy: NO_ORDER, apply }, "$apply", conditionOf);
  refuseHidden(
    { filter: null, orderBy: compute.map(({ expression }) => ({ expression, descending: false })) },
    "$compute",
    conditionOf,
  );
  refuseHidden({ filter, orderBy: query.orderBy }, filter === null ? "$orderby" : "$filter", conditionOf);
  if (condition === "none") return null;
  return {
    ...query,
    ...(apply === undefined ? {} : { apply: restrictApply(apply, entitySet, condition) }),
    filter: apply === undefined ? restrictFilter(filter, condition) : filter,
    expand: query.expand && restrictExpansions(query.expand, conditionOf, definition),
  };
}

/** The rows of a pipeline are the visible ones. */
function restrictApply(
  { branches: [branch, ...others], entityType }: ApplyClause,
  entitySet: EntitySet,
  condition: RowCondition,
): ApplyClause {
  const filter = restrictFilter(null, condition);
  if (filter === null) return { branches: [branch, ...others], entityType };
  const rule: FilterStep = { kind: "filter", inputType: entitySet.entityType, filter };
  const ruled = (each: ApplyBranch): ApplyBranch => ({ ...each, steps: [rule, ...each.steps] });
  return { branches: [ruled(branch), ...others.map(ruled)], entityType };
}

function refuseHidden({ filter, orderBy, apply }: QueryClauses, option: string, conditionOf: ConditionOf): void {
  const mentioned = mentionsOf({ filter, orderBy, apply })?.entitySets ?? [];
  const hiding = mentioned.find((entitySet) => conditionOf(entitySet) !== "all");
  if (hiding === undefined) return;
  const message = `Expressions that navigate to ${hiding.name} are not supported in ${option}: the entity set applies the query itself.`;
  throw protocolError("UnsupportedQueryOption", message, { target: option });
}

function restrictFilter(filter: FilterClause | null, condition: RowCondition): FilterClause | null {
  if (condition === "all") return filter;
  if (condition === "none") return NO_ROW;
  const rule = fillParameters(condition.filter.expression, condition.values);
  return allOf(filter === null ? [rule] : [rule, filter.expression]);
}

/** The handler of a navigation, if any, expands it instead of this handler. */
function restrictExpansions(
  expand: readonly ExpandedNavigation[],
  conditionOf: ConditionOf,
  definition: Pick<ServiceDefinition, "entitySets">,
): readonly ExpandedNavigation[] {
  return expand.map((expansion) => {
    const { entitySet, navigationProperty, target, selectExpand, filter } = expansion;
    const { get, getBatch } = findNavigationHandlers(definition, entitySet, navigationProperty.name);
    if ((get ?? getBatch) === undefined) refuseHidden(expansion, "$expand", conditionOf);
    const expanded = restrictExpansions(selectExpand.expanded, conditionOf, definition);
    return {
      ...expansion,
      filter: restrictFilter(filter, target === null ? "all" : conditionOf(target)),
      selectExpand: { ...selectExpand, expanded },
    };
  });
}

/** Returns the condition of a rule as a query, whose mentions are found once. */
export const clausesOf: (filter: FilterClause) => QueryClauses = keptPer((filter) =>
  Object.freeze({ filter, orderBy: NO_ORDER }),
);

/**
 * Returns the ignored properties that a rule needs to evaluate an entity. Handlers may omit ignored properties, and a missing
 * value of a property that is not nullable must not count as null.
 */
export const requiredProperties: (filter: FilterClause) => readonly StructuralProperty[] = keptPer(({ expression }) =>
  Object.freeze([...new Set(ownIgnored(expression))].filter(({ nullable }) => !nullable)),
);

/** Yields the ignored properties of the entity itself in a condition. */
function* ownIgnored(expression: Expression): Generator<StructuralProperty> {
  if (expression.kind !== "property") {
    for (const child of childrenOf(expression)) yield* ownIgnored(child);
    return;
  }
  const { source, property } = expression;
  if (source.kind === "it" && isIgnored(property, source.type)) yield property;
}

function isIgnored(property: StructuralProperty, type: ItExpression["type"]): boolean {
  return type.kind === "EntityType" && type.ignoredProperties.includes(property);
}
