import { sql } from "kysely";
import type { ComparisonExpression, Expression } from "../../language/query/expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { ConditionMode } from "../statement/sql-operand.ts";
import { bareTests } from "./bare-tests.ts";
import { notTrue } from "./constant-condition.ts";
import { endOfList, listed, equalColumns, isFirst, notNull, pairsOf, targetOf, tuple } from "./join-navigation.ts";
import type { PathScope } from "./path-scope.ts";
import {
  addRelation,
  Level,
  pairOperand,
  whereClause,
  type Relation,
  joinOuter,
  type StatementState,
} from "./relation.ts";
import { sharedNavigation, truthWhenAbsent, type SharedNavigation } from "./shared-navigation.ts";

/** Translates a condition within a scope. */
type TranslateWithin = (condition: Expression, scope: PathScope, mode: ConditionMode) => Sql;

/**
 * Translates a condition that depends on one related entity only as `key in (select key … where condition)`, which an index
 * on either side serves and which databases with few kinds of joins accept; or as `exists` if few rows are looked up, the
 * database would search a long list once per row, or each of several machines has the rows of both.
 * @returns null if the condition depends on anything else
 */
export function translateSemiJoin(
  expression: Expression,
  mode: ConditionMode,
  scope: PathScope,
  translate: TranslateWithin,
): Sql | null {
  if (!scope.statement.isRelational) return null;
  const common = sharedNavigation(expression, scope);
  const absent = common === null ? undefined : truthWhenAbsent(expression);
  if (common === null || absent === undefined) return null;
  // A list distinguishes only true from not true. A second list for null would double the text for each navigation.
  if (mode === "exact" && !isTwoValued(expression)) return null;
  if (isEntityTest(expression, common)) return entityTest(expression.operator === "eq", common, mode, scope);
  if (absent === true) {
    const complement = complementOf(expression);
    const others = semiJoin(common, scope, "exact", (inner) =>
      complement === null
        ? notTrue(translate(expression, inner, "filter"), expression, inner)
        : translate(complement, inner, "filter"),
    );
    return sql`not (${others})`;
  }
  return semiJoin(common, scope, mode, (inner) => translate(expression, inner, "filter"));
}

/** Whether a condition is never null, whatever its values. */
function isTwoValued(expression: Expression): boolean {
  switch (expression.kind) {
    case "comparison":
    case "in":
    case "lambda":
      return true;
    case "not":
      return isTwoValued(expression.operand);
    case "logical":
      return expression.operands.every(isTwoValued);
    default:
      return false;
  }
}

/** Returns the complement of a condition if it is equally short; null otherwise. */
function complementOf(expression: Expression): Expression | null {
  if (expression.kind === "comparison") {
    if (expression.operator !== "eq" && expression.operator !== "ne") return null;
    return { ...expression, operator: expression.operator === "eq" ? "ne" : "eq" };
  }
  if (expression.kind !== "not") return null;
  const { operand } = expression;
  // These expressions are never null.
  return operand.kind === "comparison" || operand.kind === "in" || operand.kind === "lambda" ? operand : null;
}

/** Whether an expression compares the related entity itself with null. */
function isEntityTest(expression: Expression, { navigation }: SharedNavigation): expression is ComparisonExpression {
  return expression.kind === "comparison" && (expression.left === navigation || expression.right === navigation);
}

function entityTest(isNull: boolean, common: SharedNavigation, mode: ConditionMode, scope: PathScope): Sql {
  const found = semiJoin(common, scope, isNull ? "exact" : mode, () => null);
  return isNull ? sql`not (${found})` : found;
}

function semiJoin(
  { source, navigation }: SharedNavigation,
  scope: PathScope,
  mode: ConditionMode,
  where: (inner: PathScope) => Sql | null,
): Sql {
  const { statement } = scope;
  const related = addRelation(statement.rowsOf(targetOf(navigation)), new Level(), statement.nextAlias());
  const joinPairs = pairsOf(navigation);
  const condition = within(source, navigation.navigationProperty, related, () =>
    where({ ...scope, level: related.level, each: related, isCondition: true }),
  );
  const wanted = condition === null ? [] : [sql`(${condition})`];
  const { correlatedSubqueries, listsWhole, searchesLists, joins } = statement.profile.capabilities;
  const isLocal = !joins && scope.isCondition && source.placement.joins(joinPairs, source.rows, related);
  if (isLocal || (correlatedSubqueries && (searchesLists || (statement.isLookup && listsWhole)))) {
    const tests = joinPairs.map((pair) => equalColumns(pair, source.qualified(), related));
    const bare = bareTests(joinPairs, source.qualified(), related);
    const conditions = [
      ...related.alive(statement),
      ...bare,
      ...tests,
      ...isFirst(related, joinPairs, statement),
      ...wanted,
    ];
    return sql`exists (select 1 from ${related.level.from(related.from)}${whereClause(conditions)})`;
  }
  const operands = joinPairs.map(
    (pair) => [pairOperand(pair, "related", related), pairOperand(pair, "property", source.qualified())] as const,
  );
  const pairs = operands.map(([inner, outer]) => listed(inner, outer));
  const known = mode === "exact" ? notNull(operands.map(([inner]) => inner)) : [];
  const conditions = [...related.alive(statement), ...known, ...isFirst(related, joinPairs, statement), ...wanted];
  const from = sql`${related.level.from(related.from)}${whereClause(conditions)}`;
  const select = (columns: Sql): Sql => sql`select ${columns} from ${from}`;
  // Conditions that may be negated are exact.
  if (mode === "exact" && !joins) return isInJoinedList({ pairs, select }, source.level, statement);
  const list = select(sql.join(pairs.map(([inner]) => inner)));
  const found = sql`${tuple(pairs.map(([, outer]) => outer))} in (${list}${endOfList(statement.profile)})`;
  const present = notNull(operands.map(([, outer]) => outer));
  return mode === "filter" || present.length === 0 ? found : sql`(${sql.join([found, ...present], sql` and `)})`;
}

/** Translates as if a navigation were already joined. */
function within<T>(
  source: Relation,
  navigationProperty: SharedNavigation["navigation"]["navigationProperty"],
  related: Relation,
  translate: () => T,
): T {
  source.joined.set(navigationProperty, related);
  try {
    return translate();
  } finally {
    source.joined.delete(navigationProperty);
  }
}

/** A list of values, none of them null, and the values of the row that are looked for. */
interface LookedUp {
  /** The columns of the list, each with the value of the row that must be equal. */
  readonly pairs: ReadonlyArray<readonly [inner: Sql, outer: Sql]>;
  /** Selects the columns. No two rows are equal. */
  readonly select: (columns: Sql) => Sql;
}

/**
 * Tests whether a list contains values of a row; never null. A database on several machines finds the rows that are not in a list
 * many times faster by this join, for which it gathers the list, than by `not in`.
 * @param level the level of the row
 */
export function isInJoinedList({ pairs, select }: LookedUp, level: Level, statement: StatementState): Sql {
  const alias = statement.nextAlias();
  const nameOf = (index: number): string => `k${String(index)}`;
  const columns = pairs.map(([inner], index) => sql`${inner} as ${sql.id(nameOf(index))}`);
  const tests = pairs.map(([, outer], index) => sql`${sql.id(alias, nameOf(index))} = ${outer}`);
  const list = sql`(${select(sql.join(columns))}${statement.profile.syntax.limit(null, sql`0`)}) as ${sql.id(alias)}`;
  joinOuter(level, statement, () => sql`${list} on ${sql.join(tests, sql` and `)}`);
  return sql`(${sql.id(alias, nameOf(0))} is not null)`;
}
