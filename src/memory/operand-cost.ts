import { keptPer } from "../base/memo.ts";
import type { Expression } from "../query/expression.ts";
import { childrenOf } from "../query/walk-expression.ts";

/** A filter or a term of an order: it has an expression and lives as long as its shape. */
export interface Clause {
  readonly expression: Expression;
}

/** The cost of kinds of expressions beside that of their parts; any other kind costs 1. */
const COSTS: Partial<Readonly<Record<Expression["kind"], number>>> = Object.freeze({
  arithmetic: 4,
  in: 4,
  navigation: 4,
  count: 8,
  call: 16,
  lambda: 256,
});

/**
 * Returns operands of `and` or `or` with the cheapest first. The result does not depend on their order, because no value of
 * an entity is an error of an expression.
 * @see docs/decisions/0001-arithmetic-errors.md
 */
export function cheapestFirst(operands: readonly Expression[]): readonly Expression[] {
  return operands
    .map((operand) => ({ operand, cost: costOf(operand) }))
    .toSorted((left, right) => left.cost - right.cost)
    .map(({ operand }) => operand);
}

/** The cost of a predicate whose item counts once: three functions of short texts, or twenty comparisons. */
const ITEM_COST = 64;

/** The costs of all rows between two readings of the clock. */
const SLICE_COST = 4096;

/** The rows after which the clock is read. Work on few rows never reads it, so it needs no promise. */
export const FEWEST_ROWS = 16;
const MOST_ROWS = 256;

/** Returns how many items of the budget an item spends. Nested lambda operators spend those of their own items. */
export function itemsOf(predicate: Expression): number {
  return Math.ceil(costOf(predicate, false) / ITEM_COST);
}

/** Returns the number of rows between two readings of the clock, which takes as long as a cheap condition. */
export const rowsPerReading: (clause: Clause) => number = keptPer(({ expression }: Clause) =>
  Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, Math.floor(SLICE_COST / costOf(expression)))),
);

function costOf(expression: Expression, withLambdas = true): number {
  if (expression.kind === "lambda" && !withLambdas) return 1;
  let cost = COSTS[expression.kind] ?? 1;
  for (const child of childrenOf(expression)) cost += costOf(child, withLambdas);
  return cost;
}
