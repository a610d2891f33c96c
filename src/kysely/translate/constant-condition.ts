import { sql } from "kysely";
import type { Expression } from "../../query/expression.ts";
import { childrenOf } from "../../query/walk-expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { ItemScope, PathScope } from "./path-scope.ts";
import { Relation } from "./relation.ts";
import { booleanLiteral } from "./translate-comparison.ts";

/**
 * Adds a column to a condition that is the same for every row, such as the rule that hides all rows: a distributed database
 * may refuse a condition without a column beside an outer join. The addition is false for every row.
 * @see docs/scaling.md
 */
export function withColumn(condition: Sql, expression: Expression, scope: PathScope): Sql {
  const isFalse = condition === booleanLiteral(false);
  if (scope.statement.profile.capabilities.joins || !(isFalse || isConstant(expression))) return condition;
  const relation = relationOf(scope);
  if (relation === null) return condition;
  const [column] = relation.keyColumns();
  // PostgreSQL finds no row by an index, and does not compute this in advance.
  const never = sql`(${column} is null and ${column} is not null)`;
  return isFalse ? never : sql`(${condition} or ${never})`;
}

/** Returns the rows that a condition chooses; null for the items of a value, which a statement reads on their own. */
function relationOf({ each, items, it }: PathScope): Relation | null {
  const item: ItemScope = each ?? items.at(-1) ?? it;
  return item instanceof Relation ? item : null;
}

function isConstant(expression: Expression): boolean {
  switch (expression.kind) {
    case "parameter":
    case "literal":
    case "null":
      return true;
    case "it":
    case "variable":
    case "root":
      return false;
    default:
      return childrenOf(expression).every(isConstant);
  }
}
