/** Compares two rows by their positions: negative when the left one comes first; never zero for two rows. */
export type CompareRows = (left: number, right: number) => number;

/**
 * Returns the positions of the first `size` of `length` rows in order, sorted. A heap contains the candidates, the last
 * one on top, so that most rows cost one comparison.
 * @param size at least 1, at most `length`
 * @param compare a total order, never zero for two rows
 */
export function selectFirst(length: number, size: number, compare: CompareRows): readonly number[] {
  const heap = Array.from({ length: size }, (_none, position) => position);
  for (let root = (size >> 1) - 1; root >= 0; root -= 1) siftDown(heap, root, compare);
  for (let position = size; position < length; position += 1) {
    if (compare(position, heap[0] ?? 0) < 0) {
      heap[0] = position;
      siftDown(heap, 0, compare);
    }
  }
  return heap.toSorted(compare);
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
