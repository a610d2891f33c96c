import type { Pace, Steps } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { Expression } from "../../language/query/expression.ts";
import { childrenOf } from "../../language/query/walk-expression.ts";

/** The rows of a list that meet a condition, which is evaluated each time they are iterated. */
export class FilteredRows implements Iterable<unknown> {
  readonly rows: Iterable<unknown>;
  readonly meets: (row: unknown) => boolean;

  constructor(rows: Iterable<unknown>, meets: (row: unknown) => boolean) {
    this.rows = rows;
    this.meets = meets;
  }

  *[Symbol.iterator](): Generator<unknown, void, undefined> {
    for (const row of this.rows) {
      if (this.meets(row)) yield row;
    }
  }
}

/** The state that rows report during a visit. */
export interface Effort {
  /** Is set by a row that takes long, so that the clock is read after it. */
  isLong: boolean;
}

/** How rows are visited. */
interface Visitor {
  readonly visit: (row: unknown) => boolean;
  readonly effort: Effort;
  /** The most rows between two readings of the clock. */
  readonly slice: number;
}

/**
 * Visits rows until `visit` returns false.
 * @param effort the effort that the visit of a row sets
 * @param slice the most rows between two readings of the clock
 */
export function* visitRows(
  rows: Iterable<unknown>,
  visit: (row: unknown) => boolean,
  pace: Pace,
  effort: Effort = { isLong: false },
  slice: number = FEWEST_ROWS,
): Steps<undefined> {
  if (rows instanceof FilteredRows) {
    return yield* visitRows(rows.rows, (row) => !rows.meets(row) || visit(row), pace, effort);
  }
  const visitor: Visitor = { visit, effort, slice };
  if (!Array.isArray(rows) && !(rows instanceof Set)) return yield* visitIterable(rows, visitor, pace);
  yield* visitInTurns(Array.isArray(rows) ? rows : [...rows], (list, start) => visitTurn(list, start, visitor, pace));
  return undefined;
}

/**
 * Visits a list in turns.
 * @param turn visits rows from a position on. Returns the position of the next row, or null if nothing is left to visit. It is a
 * separate function, because JavaScript engines optimize loops in generators less
 */
export function* visitInTurns(
  rows: readonly unknown[],
  turn: (list: readonly unknown[], start: number) => number | null,
): Steps<undefined> {
  let list = rows;
  let next = turn(list, 0);
  while (next !== null) {
    // The application may change its list during a pause.
    if (list === rows) list = rows.slice();
    yield;
    next = turn(list, next);
  }
  return undefined;
}

/** Visits rows until the turn is over. Returns the position of the next row, or null if nothing is left to visit. */
function visitTurn(
  rows: readonly unknown[],
  start: number,
  { visit, effort, slice }: Visitor,
  pace: Pace,
): number | null {
  let sliceEnd = start + slice;
  effort.isLong = false;
  for (let index = start; index < rows.length; index += 1) {
    if (index === sliceEnd || effort.isLong) {
      if (pace.isOver) return index;
      sliceEnd = index + slice;
      effort.isLong = false;
    }
    if (!visit(rows[index])) return null;
  }
  return null;
}

/** Visits the rows of an iterable, which may have no end. */
function* visitIterable(rows: Iterable<unknown>, { visit, effort, slice }: Visitor, pace: Pace): Steps<undefined> {
  let left = slice;
  for (const row of rows) {
    if (left === 0 || effort.isLong) {
      if (pace.isOver) yield;
      left = slice;
      effort.isLong = false;
    }
    left -= 1;
    if (!visit(row)) break;
  }
  return undefined;
}

/** A filter or a term of an order: it has an expression and lives as long as its shape. */
export interface Clause {
  readonly expression: Expression;
}

/** The cost of kinds of expressions, without the cost of their parts; any other kind costs 1. */
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

/** Returns how many items of the budget an item spends. Nested lambda operators also spend their own items. */
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
