import { type Pace, Paused, type Steps } from "../base/turn.ts";

/** The most rows between two readings of the clock. A turn begins with fewer, because single rows may take long. */
const SLICE = 16;

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

/** Visits rows until `visit` returns false. A row whose visit throws `Paused` is visited again after the pause. */
export function* visitRows(rows: Iterable<unknown>, visit: (row: unknown) => boolean, pace: Pace): Steps<undefined> {
  if (rows instanceof FilteredRows) {
    return yield* visitRows(rows.rows, (row) => !rows.meets(row) || visit(row), pace);
  }
  const rest = Array.isArray(rows) ? rows : visitFirst(rows, visit, pace);
  return rest === null ? undefined : yield* visitList(rest, visit, pace);
}

function* visitList(rows: readonly unknown[], visit: (row: unknown) => boolean, pace: Pace): Steps<undefined> {
  let list = rows;
  let next = visitTurn(list, 0, visit, pace);
  while (next !== null) {
    // The application may change its list during a pause.
    if (list === rows) list = rows.slice();
    yield;
    next = visitTurn(list, next, visit, pace);
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
  visit: (row: unknown) => boolean,
  pace: Pace,
): number | null {
  let slice = 1;
  let sliceEnd = start + slice;
  let index = start;
  try {
    for (; index < rows.length; index += 1) {
      if (index === sliceEnd) {
        if (pace.isOver) return index;
        slice = Math.min(slice * 2, SLICE);
        sliceEnd += slice;
      }
      if (!visit(rows[index])) return null;
    }
  } catch (error) {
    if (error instanceof Paused) return index;
    throw error;
  }
  return null;
}

/** Visits the rows of an iterable during the first turn. Returns the rest, or null if nothing is left to visit. */
function visitFirst(rows: Iterable<unknown>, visit: (row: unknown) => boolean, pace: Pace): readonly unknown[] | null {
  const rest: unknown[] = [];
  let count = 0;
  for (const row of rows) {
    const isVisited = rest.length === 0 && (count % SLICE !== 0 || count === 0 || !pace.isOver);
    const verdict = isVisited ? visited(row, visit) : null;
    if (verdict === false) return null;
    if (verdict === null) rest.push(row);
    count += 1;
  }
  return rest.length === 0 ? null : rest;
}

/** Returns the verdict on a row; null if it must be visited again. */
function visited(row: unknown, visit: (row: unknown) => boolean): boolean | null {
  try {
    return visit(row);
  } catch (error) {
    if (error instanceof Paused) return null;
    throw error;
  }
}
