import type { PrimitiveValue } from "../edm/value-codec.ts";
import { protocolError } from "../errors/odata-error.ts";
import type {
  ApplyBranch,
  ApplyClause,
  ApplyStep,
  ComputedProperty,
  ExpandedNavigation,
  FilterClause,
  GroupKey,
  LimitStep,
  OrderByItem,
  SelectedProperty,
  SelectExpandClause,
} from "../query/clauses.ts";
import type { PathSource } from "../query/expression.ts";
import { fillParameters, isPath } from "../query/walk-expression.ts";

type Values = readonly PrimitiveValue[];

/** Returns a filter with a literal for each parameter. */
export function fillFilter(filter: FilterClause | null, values: Values): FilterClause | null {
  return filter === null ? null : { expression: fillParameters(filter.expression, values) };
}

/** Returns an order with a literal for each parameter. */
export function fillOrder(orderBy: readonly OrderByItem[], values: Values): readonly OrderByItem[] {
  return orderBy.map(({ expression, descending }) => ({ expression: fillParameters(expression, values), descending }));
}

/** Returns expansions with a literal for each parameter; null without expansions. */
export function fillExpansions({ expanded }: SelectExpandClause, values: Values): readonly ExpandedNavigation[] | null {
  if (expanded.length === 0) return null;
  return expanded.map((expansion) => ({
    ...expansion,
    filter: fillFilter(expansion.filter, values),
    orderBy: fillOrder(expansion.orderBy, values),
    selectExpand: {
      ...expansion.selectExpand,
      selected: expansion.selectExpand.selected.map((item) => fillSelected(item, values)),
      expanded: fillExpansions(expansion.selectExpand, values) ?? [],
    },
  }));
}

function fillSelected(item: SelectedProperty, values: Values): SelectedProperty {
  return item.computed === undefined ? item : { ...item, computed: fillParameters(item.computed, values) };
}

/** Returns the computed values of a clause, with a literal for each parameter. */
export function fillComputed({ selected }: SelectExpandClause, values: Values): readonly ComputedProperty[] {
  return selected.flatMap(({ property, computed }) =>
    computed === undefined ? [] : { property, expression: fillParameters(computed, values) },
  );
}

/**
 * Returns `$apply` with a literal for each parameter, for the handler of a set that applies the query itself.
 * @throws ODataError `UnsupportedQueryOption` for `concat`: the items of a handler do not tell their branch
 */
export function fillApply({ branches: [branch, ...others], entityType }: ApplyClause, values: Values): ApplyClause {
  if (others.length > 0) {
    const message = "'concat' is not supported in $apply: the entity set applies the query itself.";
    throw protocolError("UnsupportedQueryOption", message, { target: "$apply" });
  }
  return { branches: [fillBranch(branch, values)], entityType };
}

function fillBranch(branch: ApplyBranch, values: Values): ApplyBranch {
  return {
    ...branch,
    steps: branch.steps.map((step) => fillStep(step, values)),
    computed: branch.computed.map(({ property, expression }) => ({
      property,
      expression: fillParameters(expression, values),
    })),
    orderBy: fillOrder(branch.orderBy, values),
  };
}

function fillStep(step: ApplyStep, values: Values): ApplyStep {
  const key = (each: GroupKey): GroupKey => fillKey(each, values);
  switch (step.kind) {
    case "filter":
      return { ...step, filter: { expression: fillParameters(step.filter.expression, values) } };
    case "limit":
      return {
        ...step,
        orderBy: fillOrder(step.orderBy, values),
        skip: fillCount(step.skip, values),
        top: fillCount(step.top, values),
        partition: step.partition.map(key),
      };
    case "group":
      return {
        ...step,
        keys: step.keys.map(key),
        aggregates: step.aggregates.map((aggregate) => ({
          ...aggregate,
          expression: aggregate.expression && fillParameters(aggregate.expression, values),
          filter: fillFilter(aggregate.filter, values),
        })),
      };
  }
}

function fillCount(count: LimitStep["top"], values: Values): LimitStep["top"] {
  const filled = count && fillParameters(count, values);
  return filled?.kind === "literal" ? filled : null;
}

function fillKey(key: GroupKey, values: Values): GroupKey {
  if (key.kind === "value") return { ...key, expression: fillParameters(key.expression, values) };
  return { ...key, source: fillPath(key.source, values), members: key.members.map((each) => fillKey(each, values)) };
}

function fillPath(path: PathSource, values: Values): PathSource {
  const filled = fillParameters(path, values);
  if (isPath(filled)) return filled;
  throw new Error("A path became another expression.");
}
