import { sql } from "kysely";
import type { Expression } from "../../language/query/expression.ts";
import { childrenOf, isPath } from "../../language/query/walk-expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { ItemScope, PathScope } from "./path-scope.ts";
import { Relation, type StatementState } from "./relation.ts";
import { booleanLiteral, NULL_CONDITION, type Unfold } from "./translate-comparison.ts";

/**
 * Adds a column to a condition of a `where` that may be the same for every row, such as the rule that hides all rows: a
 * database on several machines may refuse a condition without a column next to an outer join. The addition is false for every row. It is
 * outside the condition, because the database computes constant parts of a condition in advance.
 * @see docs/scaling.md
 */
export function withColumn(condition: Sql, expression: Expression, scope: PathScope): Sql {
  const isNever = condition === booleanLiteral(false) || condition === NULL_CONDITION;
  const { statement } = scope;
  if (statement.profile.capabilities.joins || !(isNever || mayFold(expression, statement))) return condition;
  const never = neverOf(scope);
  if (never === null) return condition;
  return isNever ? never : sql`((${condition}) or ${never})`;
}

/** Returns the condition of a `where` that a condition in mode `filter` is not true, with a column like `withColumn`. */
export function notTrue(condition: Sql, expression: Expression, scope: PathScope): Sql {
  const complement = sql`(${condition}) is not true`;
  if (scope.statement.profile.capabilities.joins || !mayBeTrue(expression, scope.statement)) return complement;
  const never = neverOf(scope);
  if (never === null) return complement;
  return condition === booleanLiteral(true) ? never : sql`(${complement} or ${never})`;
}

/** Returns a condition that is false for every row, which PostgreSQL does not compute in advance; null without rows. */
function neverOf(scope: PathScope): Sql | null {
  const [column] = relationOf(scope)?.keyColumns() ?? [];
  return column === undefined ? null : sql`(${column} is null and ${column} is not null)`;
}

/** Returns the form of comparisons which a database does not compute in advance; undefined without outer joins. */
export function unfoldOf({ isBesideOuterJoin, profile }: StatementState): Unfold {
  return isBesideOuterJoin ? profile.syntax.unfolded : undefined;
}

/** Returns the rows that a condition chooses; null for the items of a value, which a statement reads on their own. */
function relationOf({ each, items, it }: PathScope): Relation | null {
  const item: ItemScope = each ?? items.at(-1) ?? it;
  return item instanceof Relation ? item : null;
}

/** Whether a database may compute a condition in advance. Comparisons of columns with constants are kept from it otherwise. */
function mayFold(expression: Expression, { isBesideOuterJoin }: StatementState): boolean {
  if (isConstant(expression)) return true;
  if (!isBesideOuterJoin || expression.kind === "logical" || expression.kind === "lambda") return false;
  if (expression.kind === "not") return hasConstant(expression);
  return childrenOf(expression).some((part) => !isPath(part) && !isBound(part) && hasConstant(part));
}

/** Whether a condition in mode `filter` may be true for every row before the database reads one. */
function mayBeTrue(expression: Expression, statement: StatementState): boolean {
  if (expression.kind === "logical") return expression.operands.some((operand) => mayBeTrue(operand, statement));
  return mayFold(expression, statement) || childrenOf(expression).some(({ kind }) => kind === "null");
}

/** Whether an operand is a bound value. */
function isBound(expression: Expression): boolean {
  return expression.kind === "convert" ? isBound(expression.operand) : VALUES.has(expression.kind);
}

const VALUES: ReadonlySet<Expression["kind"]> = new Set(["parameter", "literal", "null"]);

function isConstant(expression: Expression): boolean {
  if (VALUES.has(expression.kind)) return true;
  switch (expression.kind) {
    case "it":
    case "variable":
    case "root":
      return false;
    default:
      return childrenOf(expression).every(isConstant);
  }
}

/** Whether a condition contains constants, outside of the lists that related entities are found by. */
function hasConstant(expression: Expression): boolean {
  if (VALUES.has(expression.kind)) return true;
  return expression.kind !== "lambda" && childrenOf(expression).some(hasConstant);
}
