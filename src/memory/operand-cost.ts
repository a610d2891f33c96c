import type { Expression } from "../query/expression.ts";
import { childrenOf } from "../query/walk-expression.ts";

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

function costOf(expression: Expression): number {
  let cost = COSTS[expression.kind] ?? 1;
  for (const child of childrenOf(expression)) cost += costOf(child);
  return cost;
}
