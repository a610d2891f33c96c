import { sql } from "kysely";
import type { CallExpression, Expression, LogicalExpression, PathSource } from "../../query/expression.ts";
import { childrenOf, isPath, stepsOf } from "../../query/walk-expression.ts";
import type { DialectProfile, DialectSyntax } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { SqlOperand, Translator } from "../statement/sql-operand.ts";
import type { PathScope } from "./path-scope.ts";
import { isFound } from "./shared-navigation.ts";

/** The number of uses from which one computation for all costs less than one for each. */
const MIN_USES = 4;

/** Functions that are expensive and never fail: a shared call is computed even if no condition needs it. */
const SHAREABLE: ReadonlySet<string> = new Set(["tolower", "toupper", "trim"]);

/** The results of calls that are computed once for several conditions, by the key of the call. */
export type SharedResults = ReadonlyMap<string | null, SqlOperand>;

/** The scope of some conditions, and the shared results that it knows already. */
interface SharingScope {
  readonly profile: DialectProfile;
  readonly scope: PathScope;
  readonly shared?: SharedResults | undefined;
}

/** A call that several conditions contain. */
export interface SharedCall {
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
    // The parts are columns of an outer query.
    results.set(key, { ...operand, sql: sql.id(alias, name), unindexed: undefined, parts: undefined });
    return sql`${operand.unindexed ?? operand.sql} as ${sql.id(name)}`;
  });
  return {
    // Unqualified columns could be mistaken for those of the query.
    scope: { ...scope, it: scope.it.qualified() },
    shared: results,
    toQuery: (condition) => computeOnce(condition, sql.join(values), sql.id(alias)),
  };
}
