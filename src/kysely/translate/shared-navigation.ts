import { assertNever } from "../../base/assert-never.ts";
import type { Expression, LogicalExpression, NavigationExpression, PathSource } from "../../query/expression.ts";
import { childrenOf, isPath, stepsOf } from "../../query/walk-expression.ts";
import type { PathScope } from "./path-scope.ts";
import { Relation } from "./relation.ts";

/** A single-valued navigation that is not joined yet, and the relation that it starts from. */
export interface SharedNavigation {
  readonly source: Relation;
  readonly navigation: NavigationExpression;
}

/** Tests a path of an expression; false ends the walk. */
type OnPath = (path: PathSource) => boolean;

/**
 * Returns the navigation that every path of an expression begins with, so that the expression is a condition on the related
 * entity only.
 * @returns null if the paths have none in common
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

/** Conditions on one related entity, which are evaluated together. */
interface Group {
  readonly common: SharedNavigation | null;
  readonly operands: Expression[];
}

/** Returns the operands of `and` or `or`, after merging operands that depend only on the same related entity. */
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
  // A single group is the whole condition.
  if (groups.length === 1) return expression.operands;
  return groups.flatMap(({ operands }) => (operands.length === 1 ? operands : [{ ...expression, operands }]));
}

function isSame(left: SharedNavigation, right: SharedNavigation): boolean {
  return left.source === right.source && left.navigation.navigationProperty === right.navigation.navigationProperty;
}

/** Whether an expression depends only on the items of the lambda operator at a depth, and of operators within it. */
export function dependsOnItemsAlone(expression: Expression, depth: number): boolean {
  return everyPath(expression, (path) => stepsOf(path).start.kind === "root" || isBoundWithin(path, depth));
}

/** The value of a condition if the entity that all its paths begin with is missing; undefined if it depends on values. */
export type AbsentTruth = boolean | null | undefined;

/** An operand in that case: certainly null, certainly not null, or either. */
type AbsentOperand = "null" | "value" | "unknown";

/** Returns the value of a condition if all its paths are null or empty collections. */
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

/** For operations that are null if an operand is null, and may be null for other reasons. */
function anyNull(operands: readonly Expression[]): AbsentOperand {
  return operands.some((operand) => whenAbsent(operand) === "null") ? "null" : "unknown";
}

/** Returns whether a path starts within a scope, and its navigations are already joined. */
export function isFound(path: PathSource, scope: PathScope): boolean {
  const { start } = stepsOf(path);
  if (start.kind === "root" || isBoundWithin(path, scope.items.length)) return false;
  return firstNavigation(path, scope) === null;
}

function firstNavigation(path: PathSource, scope: PathScope): SharedNavigation | null {
  const { start, steps } = stepsOf(path);
  if (start.kind === "root") return null;
  let source = start.kind === "it" ? scope.it : scope.items[start.depth];
  for (const navigation of steps) {
    if (navigation.kind === "property") continue;
    if (!(source instanceof Relation)) return null;
    const joined = source.joined.get(navigation.navigationProperty);
    if (joined === undefined) return navigation.navigationProperty.isCollection ? null : { source, navigation };
    source = joined;
  }
  return null;
}

/** Whether a path starts from an item of the lambda operator at this depth, or of an operator within it. */
function isBoundWithin(path: PathSource, depth: number): boolean {
  const { start } = stepsOf(path);
  return start.kind === "variable" && start.depth >= depth;
}

/** Whether all paths of an expression pass a test. */
function everyPath(expression: Expression, test: OnPath): boolean {
  if (isPath(expression)) return test(expression);
  return childrenOf(expression).every((child) => everyPath(child, test));
}
