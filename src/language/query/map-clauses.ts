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
  ReachedSum,
  SelectExpandClause,
} from "./clauses.ts";
import type { Expression, PathSource } from "./expression.ts";
import { isPath } from "./walk-expression.ts";

/** Returns the expression in the place of another one. A path must remain a path, and a number of rows a value. */
export type Replace = (expression: Expression) => Expression;

/** Replaces the expressions of `$apply`, in the order of their evaluation. */
export function mapApply({ branches, entityType }: ApplyClause, replace: Replace): ApplyClause {
  return { branches: mapBranches(branches, replace), entityType };
}

function mapBranches([first, ...others]: ApplyClause["branches"], replace: Replace): ApplyClause["branches"] {
  return [mapBranch(first, replace), ...others.map((branch) => mapBranch(branch, replace))];
}

function mapBranch(branch: ApplyBranch, replace: Replace): ApplyBranch {
  return {
    ...branch,
    steps: branch.steps.map((step) => mapStep(step, replace)),
    computed: branch.computed.map((each) => ({ ...each, expression: replace(each.expression) })),
    orderBy: mapOrder(branch.orderBy, replace),
  };
}

function mapStep(step: ApplyStep, replace: Replace): ApplyStep {
  const key = (each: GroupKey): GroupKey => mapKey(each, replace);
  switch (step.kind) {
    case "filter":
      return { ...step, filter: { expression: replace(step.filter.expression) } };
    case "limit":
      return {
        ...step,
        partition: step.partition.map(key),
        orderBy: mapOrder(step.orderBy, replace),
        skip: mapCount(step.skip, replace),
        top: mapCount(step.top, replace),
        ...(step.reach && { reach: mapReach(step.reach, replace) }),
      };
    case "group":
    case "totals":
      return {
        ...step,
        keys: step.keys.map(key),
        aggregates: step.aggregates.map((aggregate) => ({
          ...aggregate,
          filter: mapFilter(aggregate.filter, replace),
          expression: aggregate.expression && replace(aggregate.expression),
        })),
      };
    case "join": {
      const path = replace(step.path);
      // The steps are those of other entities.
      return path.kind === "navigation" ? { ...step, path } : step;
    }
    case "ancestors":
    case "descendants":
      return {
        ...step,
        start: { expression: replace(step.start.expression) },
        distance: mapCount(step.distance, replace),
      };
    case "reach":
      return { ...step, start: mapFilter(step.start, replace), levels: mapCount(step.levels, replace) };
    case "topLevels":
      return { ...step, orderBy: mapOrder(step.orderBy, replace), levels: mapCount(step.levels, replace) };
    case "concat":
      return { ...step, branches: mapBranches(step.branches, replace) };
  }
}

/** Replaces the expression of a filter. */
export function mapFilter(filter: FilterClause | null, replace: Replace): FilterClause | null {
  return filter && { expression: replace(filter.expression) };
}

/** Replaces the expressions of an order. */
export function mapOrder(orderBy: readonly OrderByItem[], replace: Replace): readonly OrderByItem[] {
  return orderBy.map(({ expression, descending }) => ({ expression: replace(expression), descending }));
}

/** Replaces the expressions of expansions. */
export function mapExpansions(
  expanded: readonly ExpandedNavigation[],
  replace: Replace,
): readonly ExpandedNavigation[] {
  return expanded.map((expansion) => ({
    ...expansion,
    filter: mapFilter(expansion.filter, replace),
    orderBy: mapOrder(expansion.orderBy, replace),
    selectExpand: {
      ...expansion.selectExpand,
      selected: expansion.selectExpand.selected.map((item) =>
        item.computed === undefined ? item : { ...item, computed: replace(item.computed) },
      ),
      expanded: mapExpansions(expansion.selectExpand.expanded, replace),
    },
  }));
}

/** Returns the selected values that are computed, with other expressions. */
export function mapComputed(
  { selected }: Pick<SelectExpandClause, "selected">,
  replace: Replace,
): readonly ComputedProperty[] {
  return selected.flatMap(({ property, computed }) =>
    computed === undefined ? [] : { property, expression: replace(computed) },
  );
}

function mapCount(count: LimitStep["top"], replace: Replace): LimitStep["top"] {
  const replaced = count && replace(count);
  return replaced?.kind === "literal" || replaced?.kind === "parameter" ? replaced : null;
}

function mapReach({ expression, target, isPercent }: ReachedSum, replace: Replace): ReachedSum {
  return { expression: replace(expression), target: mapCount(target, replace) ?? target, isPercent };
}

function mapKey(key: GroupKey, replace: Replace): GroupKey {
  if (key.kind === "value") return { ...key, expression: replace(key.expression) };
  return { ...key, source: mapPath(key.source, replace), members: key.members.map((each) => mapKey(each, replace)) };
}

function mapPath(path: PathSource, replace: Replace): PathSource {
  const replaced = replace(path);
  if (isPath(replaced)) return replaced;
  throw new Error("A path became another expression.");
}
