import { sql } from "kysely";
import { assertNever } from "../../base/required.ts";
import type {
  Expression,
  LogicalExpression,
  NavigationExpression,
  PathSource,
  CallExpression,
} from "../../language/query/expression.ts";
import { childrenOf, isPath, stepsOf } from "../../language/query/walk-expression.ts";
import type { Database } from "../forms/database.ts";
import type { DialectSyntax } from "../forms/dialect-syntax.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { SqlOperand, Translator } from "../statement/sql-operand.ts";
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
type AbsentTruth = boolean | null | undefined;

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
function isFound(path: PathSource, scope: PathScope): boolean {
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

/** The number of uses from which one computation for all costs less than one for each. */
const MIN_USES = 4;

/** Functions that are expensive and never fail: a shared call is computed even if no condition needs it. */
const SHAREABLE: ReadonlySet<string> = new Set(["tolower", "toupper", "trim"]);

/** The results of calls that are computed once for several conditions, by the key of the call. */
export type SharedResults = ReadonlyMap<string | null, SqlOperand>;

/** The scope of some conditions, and the shared results that it knows already. */
interface SharingScope {
  readonly profile: Database;
  readonly scope: PathScope;
  readonly shared?: SharedResults | undefined;
}

/** A call that several conditions contain. */
interface SharedCall {
  /** Equal calls in one scope have equal keys. */
  readonly key: string;
  readonly call: CallExpression;
}

/** Returns the key of a call that conditions can share; null for any other expression. */
export function keyOfCall(expression: Expression): string | null {
  if (expression.kind !== "call" || !SHAREABLE.has(expression.name)) return null;
  const [argument] = expression.arguments;
  if (argument === undefined) return null;
  const key = isPath(argument) ? keyOfPath(argument) : keyOfCall(argument);
  return key === null ? null : `${expression.name}(${key})`;
}

/** Returns the key of a path that is the same for equal paths in one scope; null for a path from `$root`. */
export function keyOfPath(path: PathSource): string | null {
  const { start, steps } = stepsOf(path);
  if (start.kind === "root") return null;
  const names = steps.map((step) => (step.kind === "property" ? step.property.name : step.navigationProperty.name));
  return [start.kind === "variable" ? String(start.depth) : "", ...names].join("/");
}

/** Operands, and how they share calls if all of them contain one. */
interface Grouped {
  readonly operands: readonly Expression[];
  readonly sharing: Sharing | null;
}

/** The context of conditions that share the results of calls. */
interface Sharing {
  readonly scope: PathScope;
  readonly shared: SharedResults;
  /** Makes a query of the condition, which computes the calls first. */
  readonly toQuery: (condition: Sql) => Sql;
}

/**
 * Groups operands that repeat calls, such as `tolower(Name)` in `contains(tolower(Name),'a') or contains(tolower(Name),'b')`.
 * Otherwise the database computes a call once per operand and row. Operands without these calls stay apart, so that an index
 * can serve them.
 */
export function groupByCalls(expression: LogicalExpression, translator: Translator, context: SharingScope): Grouped {
  const { operands } = expression;
  const { computeOnce } = context.profile.syntax;
  const calls = computeOnce === undefined ? [] : findSharedCalls(operands, context);
  const users = operands.filter((operand) => containsCall(operand, calls));
  if (computeOnce !== undefined && users.length === operands.length) {
    return { operands, sharing: shareCalls(calls, translator, context, computeOnce) };
  }
  // A single operand shares the calls among its own operands.
  if (users.length <= 1) return { operands, sharing: null };
  const others = operands.filter((operand) => !users.includes(operand));
  return { operands: [...others, { ...expression, operands: users }], sharing: null };
}

function findSharedCalls(conditions: readonly Expression[], { scope, shared }: SharingScope): readonly SharedCall[] {
  const uses = new Map<string, { readonly call: CallExpression; count: number }>();
  const visit = (expression: Expression): void => {
    const key = keyOfCall(expression);
    if (key === null || expression.kind !== "call") {
      for (const child of childrenOf(expression)) visit(child);
      return;
    }
    const use = uses.get(key) ?? { call: expression, count: 0 };
    use.count += 1;
    uses.set(key, use);
  };
  for (const condition of conditions) visit(condition);
  return Array.from(uses, ([key, { call, count }]) => ({ key, call, count })).filter(
    ({ key, call, count }) => count >= MIN_USES && shared?.has(key) !== true && isComputable(call, scope),
  );
}

/** Whether the value of a call exists in this scope, without a navigation that is still to be joined. */
function isComputable(call: Expression, scope: PathScope): boolean {
  return isPath(call) ? isFound(call, scope) : childrenOf(call).every((child) => isComputable(child, scope));
}

function containsCall(expression: Expression, calls: readonly SharedCall[]): boolean {
  const key = keyOfCall(expression);
  if (key !== null && calls.some((call) => call.key === key)) return true;
  return childrenOf(expression).some((child) => containsCall(child, calls));
}

function shareCalls(
  calls: readonly SharedCall[],
  translator: Translator,
  { scope, shared = new Map() }: SharingScope,
  computeOnce: NonNullable<DialectSyntax["computeOnce"]>,
): Sharing {
  // Unlike those of tables, this alias is not looked for in query plans.
  const alias = `shared_${scope.statement.nextAlias()}`;
  const results = new Map(shared);
  const values = calls.map(({ key, call }, index) => {
    const operand = translator.operand(call);
    if (operand.kind !== "row") throw new Error(`The result of ${call.name} does not depend on the row.`);
    const name = `v${String(index)}`;
    results.set(key, { ...operand, sql: sql.id(alias, name), unindexed: undefined });
    return sql`${operand.unindexed ?? operand.sql} as ${sql.id(name)}`;
  });
  return {
    // Unqualified columns could be mistaken for those of the query.
    scope: { ...scope, it: scope.it.qualified() },
    shared: results,
    toQuery: (condition) => computeOnce(condition, sql.join(values), sql.id(alias)),
  };
}
