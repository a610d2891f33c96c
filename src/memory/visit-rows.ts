import type { Pace, Steps } from "../base/turn.ts";
import { FEWEST_ROWS } from "./operand-cost.ts";

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

/** What rows report while they are visited. */
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
 * @param effort what the visit of a row sets
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
  if (Array.isArray(rows)) yield* visitList(rows, visitor, pace);
  else if (rows instanceof Set) yield* visitList([...rows], visitor, pace);
  else yield* visitIterable(rows, visitor, pace);
  return undefined;
}

function* visitList(rows: readonly unknown[], visitor: Visitor, pace: Pace): Steps<undefined> {
  let list = rows;
  let next = visitTurn(list, 0, visitor, pace);
  while (next !== null) {
    // The application may change its list during a pause.
    if (list === rows) list = rows.slice();
    yield;
    next = visitTurn(list, next, visitor, pace);
  }
  return undefined;
}

/**
 * Visits rows until the turn is over. Returns the position of the next row, or null if nothing is left to visit. It is
 * a separate function, because JavaScript engines optimize loops in generators less.
 */
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
