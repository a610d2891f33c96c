import { getHeapStatistics } from "node:v8";

/** Bytes of the heap of a thread between statements. An idle thread would keep them, since it collects no garbage. */
const MOST_KEPT = 96e6;

/** Bytes of the heap of a thread during a statement, if its limit is not lower. */
const MOST_USED = 1e9;

/** The share of the limit of the heap that a statement may use: V8 ends the thread at the limit. */
const SHARE = 0.5;

/** Whether the heap of this thread is so large that another thread should replace it. */
export function keepsMuchMemory(): boolean {
  return getHeapStatistics().total_heap_size > MOST_KEPT;
}

/**
 * Whether the running statement uses too much of the heap of this thread. `node:sqlite` keeps the arguments and results of
 * all calls of functions until the statement ends.
 */
export function usesMuchMemory(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > Math.min(MOST_USED, limit * SHARE);
}
