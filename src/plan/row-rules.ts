import { keeper, keptPer } from "../base/memo.ts";
import type { RowCondition } from "../definition/rules/row-conditions.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { CollectionQuery } from "../definition/sets/handlers.ts";
import type { EntitySet, StructuralProperty } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { ExpandedNavigation, FilterClause, OrderByItem } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { fillParameters } from "../query/fill-parameters.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import { childrenOf } from "../query/walk-expression.ts";

/** Returns what the row rule of a set says of the user of a request; `all` for a set without a rule. */
export type ConditionOf = (entitySet: EntitySet) => RowCondition;

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];
const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/** The condition that no row meets, in a form that every database takes. */
export const NO_ROW: FilterClause = Object.freeze(
  keeper<FilterClause>({
    expression: {
      kind: "comparison",
      operator: "eq",
      left: { kind: "literal", value: false, type: BOOLEAN } satisfies Expression,
      right: { kind: "literal", value: true, type: BOOLEAN } satisfies Expression,
      operandType: BOOLEAN,
      type: BOOLEAN,
    },
  }),
);

/**
 * Adds row rules to the query of a handler that applies it by itself: the rule of the set, and the rules of the sets that
 * the handler may expand. Where expressions lead, the handler could meet rows that the user does not see.
 * @returns null where the user sees no row of the set
 * @throws ODataError `UnsupportedQueryOption` for an expression that leads to a set with a rule
 * @see docs/guides/authorization.md
 */
export function restrictQuery(
  query: CollectionQuery,
  entitySet: EntitySet,
  conditionOf: ConditionOf,
  definition: Pick<ServiceDefinition, "entitySets">,
): CollectionQuery | null {
  const condition = conditionOf(entitySet);
  refuseHidden(query, query.filter === null ? "$orderby" : "$filter", conditionOf);
  if (condition === "none") return null;
  return {
    ...query,
    filter: restrictFilter(query.filter, condition),
    expand: restrictExpansions(query.expand, conditionOf, definition),
  };
}

function refuseHidden({ filter, orderBy }: QueryClauses, option: string, conditionOf: ConditionOf): void {
  const mentioned = mentionsOf({ filter, orderBy })?.entitySets ?? [];
  const hiding = mentioned.find((entitySet) => conditionOf(entitySet) !== "all");
  if (hiding === undefined) return;
  const message = `Expressions that lead to ${hiding.name} are not offered in ${option}: the entity set applies it by itself.`;
  throw protocolError("UnsupportedQueryOption", message, { target: option });
}

function restrictFilter(filter: FilterClause | null, condition: RowCondition): FilterClause | null {
  if (condition === "all") return filter;
  if (condition === "none") return NO_ROW;
  const rule = fillParameters(condition.filter.expression, condition.values);
  if (filter === null) return { expression: rule };
  return { expression: { kind: "logical", operator: "and", operands: [rule, filter.expression], type: BOOLEAN } };
}

/** A navigation with a handler is not expanded by this handler. */
function restrictExpansions(
  expand: readonly ExpandedNavigation[] | null,
  conditionOf: ConditionOf,
  definition: Pick<ServiceDefinition, "entitySets">,
): readonly ExpandedNavigation[] | null {
  if (expand === null) return null;
  return expand.map((expansion) => {
    const { entitySet, navigationProperty, target, selectExpand, filter } = expansion;
    const set = definition.entitySets.get(entitySet.name);
    const { get, getBatch } = set?.navigationHandlers.get(navigationProperty.name) ?? {};
    if ((get ?? getBatch) === undefined) refuseHidden(expansion, "$expand", conditionOf);
    const expanded = restrictExpansions(selectExpand.expanded, conditionOf, definition) ?? [];
    return {
      ...expansion,
      filter: restrictFilter(filter, target === null ? "all" : conditionOf(target)),
      selectExpand: { ...selectExpand, expanded },
    };
  });
}

/** Returns the condition of a rule as a query: the same object for a filter each time. */
export const clausesOf: (filter: FilterClause) => QueryClauses = keptPer((filter) =>
  Object.freeze(keeper({ filter, orderBy: NO_ORDER })),
);

/**
 * Returns the properties without which a rule cannot judge an entity, if the type ignores them: handlers may leave
 * ignored properties out, and an absent value must not count as null where there always is a value.
 */
export const requiredProperties: (filter: FilterClause) => readonly StructuralProperty[] = keptPer(({ expression }) =>
  [...ownProperties(expression)].filter(({ nullable }) => !nullable),
);

/** The properties of the entity itself that a condition asks for. */
function* ownProperties(expression: Expression): Generator<StructuralProperty> {
  if (expression.kind === "property") {
    if (expression.source.kind === "it") yield expression.property;
    return;
  }
  for (const child of childrenOf(expression)) yield* ownProperties(child);
}
