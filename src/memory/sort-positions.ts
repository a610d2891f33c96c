import type { Pace, Steps } from "../base/turn.ts";

/** The number of comparisons between two readings of the clock. */
const SLICE = 256;

/** The number of positions that are sorted without a pause. */
const RUN = 1024;

/** Compares two rows by their positions: negative when the left one comes first; never zero for two rows. */
export type CompareRows = (left: number, right: number) => number;

/**
 * Returns the positions of the first `size` of `length` rows in order, sorted. A heap contains the candidates, the last
 * one on top, so that most rows cost one comparison.
 * @param size at least 1, at most `length`
 * @param compare a total order, never zero for two rows
 */
export function* selectFirst(length: number, size: number, compare: CompareRows, pace: Pace): Steps<readonly number[]> {
  const heap = Array.from({ length: size }, (_none, position) => position);
  for (let root = (size >> 1) - 1; root >= 0; root -= 1) siftDown(heap, root, compare);
  for (let position = size; position < length; position += 1) {
    if (compare(position, heap[0] ?? 0) < 0) {
      heap[0] = position;
      siftDown(heap, 0, compare);
    }
    if (position % SLICE === 0 && pace.isOver) yield;
  }
  return yield* sortPositions(heap, compare, pace);
}

/** Sorts positions: runs of them, which are merged in pairs. @param compare a total order */
export function* sortPositions(
  positions: readonly number[],
  compare: CompareRows,
  pace: Pace,
): Steps<readonly number[]> {
  if (positions.length <= RUN) return positions.toSorted(compare);
  let runs: (readonly number[])[] = [];
  for (let start = 0; start < positions.length; start += RUN) {
    runs.push(positions.slice(start, start + RUN).toSorted(compare));
    if (pace.isOver) yield;
  }
  while (runs.length > 1) {
    const merged: (readonly number[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(
  left: readonly number[],
  right: readonly number[],
  compare: CompareRows,
  pace: Pace,
): Steps<readonly number[]> {
  const merged: number[] = [];
  let [fromLeft, fromRight] = [0, 0];
  for (;;) {
    const [one, other] = [left[fromLeft], right[fromRight]];
    if (one === undefined) return merged.concat(right.slice(fromRight));
    if (other === undefined) return merged.concat(left.slice(fromLeft));
    if (compare(one, other) < 0) {
      merged.push(one);
      fromLeft += 1;
    } else {
      merged.push(other);
      fromRight += 1;
    }
    if (merged.length % SLICE === 0 && pace.isOver) yield;
  }
}

/** Moves the candidate at `start` down until both children come before it. */
function siftDown(heap: number[], start: number, compare: CompareRows): void {
  const moved = heap[start] ?? 0;
  let parent = start;
  for (;;) {
    const child = laterChild(heap, parent, compare);
    const candidate = heap[child];
    if (candidate === undefined || compare(candidate, moved) < 0) break;
    heap[parent] = candidate;
    parent = child;
  }
  heap[parent] = moved;
}

/** Returns the index of the child that comes later in order; beyond the end without a child. */
function laterChild(heap: readonly number[], parent: number, compare: CompareRows): number {
  const left = 2 * parent + 1;
  const leftRow = heap[left];
  const rightRow = heap[left + 1];
  if (leftRow === undefined || rightRow === undefined) return left;
  return compare(leftRow, rightRow) < 0 ? left + 1 : left;
}
