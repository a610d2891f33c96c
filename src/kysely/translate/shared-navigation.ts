import { assertNever } from "../../base/assert-never.ts";
import type { Expression, LogicalExpression, NavigationExpression, PathSource } from "../../query/expression.ts";
import { childrenOf, isPath } from "../../query/walk-expression.ts";
import type { PathScope } from "./path-scope.ts";
import { Relation } from "./relation.ts";

/** A single-valued navigation that is not joined, and the relation that it starts from. */
export interface SharedNavigation {
  readonly source: Relation;
  readonly navigation: NavigationExpression;
}

/** Tells of each path of an expression; false ends the walk. */
type OnPath = (path: PathSource) => boolean;

/**
 * The one navigation that all of an expression depends on: every path in it begins with that, so it is a condition on
 * the related entity alone.
 * @returns null where there is none
 */
export function sharedNavigation(expression: Expression, scope: PathScope): SharedNavigation | null {
  let common: SharedNavigation | null = null;
  const isCommon = everyPath(expression, (path) => {
    if (isBoundWithin(path, scope.items.length)) return true;
    const found = firstNavigation(path, scope);
    if (found === null) return false;
    common ??= found;
    return isSame(common, found);
  });
  return isCommon ? common : null;
}

/** Conditions on one related entity, which are asked for together. */
interface Group {
  readonly common: SharedNavigation | null;
  readonly operands: Expression[];
}

/** The operands of `and` or `or`, those that depend on one related entity alone joined to one condition. */
export function groupByNavigation(expression: LogicalExpression, scope: PathScope): readonly Expression[] {
  if (!scope.statement.isRelational) return expression.operands;
  const groups: Group[] = [];
  for (const operand of expression.operands) {
    const common = sharedNavigation(operand, scope);
    const group =
      common === null ? undefined : groups.find((each) => each.common !== null && isSame(each.common, common));
    if (group === undefined) groups.push({ common, operands: [operand] });
    else group.operands.push(operand);
  }
  // One group is the condition itself.
  if (groups.length === 1) return expression.operands;
  return groups.flatMap(({ operands }) => (operands.length === 1 ? operands : [{ ...expression, operands }]));
}

function isSame(left: SharedNavigation, right: SharedNavigation): boolean {
  return left.source === right.source && left.navigation.navigationProperty === right.navigation.navigationProperty;
}

/** Whether an expression depends on nothing but the items of the lambda operator of a depth, and of those within it. */
export function dependsOnItemsAlone(expression: Expression, depth: number): boolean {
  return everyPath(expression, (path) => startOf(path).kind === "root" || isBoundWithin(path, depth));
}

/** What a condition is where the entity that all its paths begin with is not there; undefined where values decide. */
export type AbsentTruth = boolean | null | undefined;

/** What an operand is there: surely null, surely not, or either. */
type AbsentOperand = "null" | "value" | "unknown";

/** Tells what a condition is whose paths all lead to null, and to empty collections. */
export function truthWhenAbsent(expression: Expression): AbsentTruth {
  switch (expression.kind) {
    case "comparison":
      return comparedWhenAbsent(expression.operator, whenAbsent(expression.left), whenAbsent(expression.right));
    case "in": {
      const operand = whenAbsent(expression.operand);
      const items = new Set(expression.items.map(whenAbsent));
      if (operand !== "null") return undefined;
      if (items.has("null")) return true;
      return items.has("unknown") ? undefined : false;
    }
    case "lambda":
      return expression.operator === "all";
    case "logical":
      return joinedWhenAbsent(expression.operator === "or", expression.operands.map(truthWhenAbsent));
    case "not": {
      const truth = truthWhenAbsent(expression.operand);
      return typeof truth === "boolean" ? !truth : truth;
    }
    case "has":
    case "call":
    case "property":
    case "variable":
    case "null":
      return whenAbsent(expression) === "null" ? null : undefined;
    default:
      return undefined;
  }
}

function comparedWhenAbsent(operator: string, left: AbsentOperand, right: AbsentOperand): AbsentTruth {
  if (left === "unknown" || right === "unknown" || (left === "value" && right === "value")) return undefined;
  if (left === right) return operator === "eq";
  return operator === "ne";
}

function joinedWhenAbsent(decisive: boolean, truths: readonly AbsentTruth[]): AbsentTruth {
  if (truths.includes(decisive)) return decisive;
  if (truths.includes(undefined)) return undefined;
  return truths.includes(null) ? null : !decisive;
}

function whenAbsent(expression: Expression): AbsentOperand {
  switch (expression.kind) {
    case "parameter":
    case "literal":
      return "value";
    case "null":
    case "it":
    case "variable":
    case "root":
    case "navigation":
    case "property":
    case "count":
      return "null";
    case "arithmetic":
    case "negate":
    case "convert":
    case "call":
    case "has":
      return anyNull(childrenOf(expression));
    case "comparison":
    case "in":
    case "lambda":
      return "value";
    case "logical":
    case "not": {
      const truth = truthWhenAbsent(expression);
      if (truth === undefined) return "unknown";
      return truth === null ? "null" : "value";
    }
    default:
      return assertNever(expression);
  }
}

/** Such as are null when an operand is; otherwise they may be null for other reasons. */
function anyNull(operands: readonly Expression[]): AbsentOperand {
  return operands.some((operand) => whenAbsent(operand) === "null") ? "null" : "unknown";
}

function firstNavigation(path: PathSource, scope: PathScope): SharedNavigation | null {
  const navigations: NavigationExpression[] = [];
  let start = path;
  while (start.kind === "property" || start.kind === "navigation") {
    if (start.kind === "navigation") navigations.unshift(start);
    start = start.source;
  }
  if (start.kind === "root") return null;
  let source = start.kind === "it" ? scope.it : scope.items[start.depth];
  for (const navigation of navigations) {
    if (!(source instanceof Relation)) return null;
    const joined = source.joined.get(navigation.navigationProperty);
    if (joined === undefined) return navigation.navigationProperty.isCollection ? null : { source, navigation };
    source = joined;
  }
  return null;
}

function startOf(path: PathSource): Exclude<PathSource, { readonly kind: "property" | "navigation" }> {
  let start = path;
  while (start.kind === "property" || start.kind === "navigation") start = start.source;
  return start;
}

/** Whether a path starts from an item of a lambda operator of this depth, or of one within it. */
function isBoundWithin(path: PathSource, depth: number): boolean {
  const start = startOf(path);
  return start.kind === "variable" && start.depth >= depth;
}

/** Whether all paths of an expression are as a test says. */
function everyPath(expression: Expression, test: OnPath): boolean {
  if (isPath(expression)) return test(expression);
  return childrenOf(expression).every((child) => everyPath(child, test));
}
