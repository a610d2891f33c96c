import { sql } from "kysely";
import { assertNever } from "../../base/assert-never.ts";
import type { Expression } from "../../query/expression.ts";
import { childrenOf } from "../../query/walk-expression.ts";
import type { Sql } from "../statement/sql-form.ts";

/** The maximum length of a chain of conditions; longer chains are split in halves, because databases limit the depth. */
const CHAIN_LENGTH = 16;

/** Joins conditions by `and` or `or`. The depth grows with the logarithm of their number. */
export function joinBalanced(conditions: readonly Sql[], separator: Sql): Sql {
  if (conditions.length <= CHAIN_LENGTH) return sql.join(conditions, separator);
  const middle = conditions.length >> 1;
  const halves = [conditions.slice(0, middle), conditions.slice(middle)];
  return sql.join(
    halves.map((half) => sql`(${joinBalanced(half, separator)})`),
    separator,
  );
}

/** Estimates the cost of an expression per row: comparisons are cheap, functions are expensive. */
export function costOf(expression: Expression): number {
  switch (expression.kind) {
    case "parameter":
    case "literal":
    case "null":
    case "it":
    case "variable":
      return 0;
    case "property":
      return costOf(expression.source);
    case "count":
    case "root":
    case "navigation":
      return CALL_COST;
    case "lambda":
      return LAMBDA_COST + (expression.predicate === null ? 0 : costOf(expression.predicate));
    case "comparison":
    case "arithmetic":
    case "not":
    case "negate":
    case "convert":
      return 1 + sum(childrenOf(expression));
    case "logical":
      return sum(expression.operands);
    case "in":
      return 1 + costOf(expression.operand);
    case "has":
      return 1;
    case "call":
      return CALL_COST + sum(expression.arguments);
    default:
      return assertNever(expression);
  }
}

const CALL_COST = 100;
const LAMBDA_COST = 1000;

function sum(expressions: readonly Expression[]): number {
  return expressions.reduce((total, expression) => total + costOf(expression), 0);
}
