import { isPromiseLike, unawaited, type Maybe } from "../base/maybe.ts";

/** Most calls of one handler that are under way at once: a page has many parents, and a database few connections. */
const MAX_UNDER_WAY = 16;

/**
 * All results of tasks that were started together; without a promise where none of them made one.
 * @param tasks start when they are called; one that throws keeps the later ones from starting
 */
export function startAll<T>(tasks: readonly (() => Maybe<T>)[]): Maybe<readonly T[]> {
  const started: Maybe<T>[] = [];
  try {
    for (const task of tasks) started.push(task());
  } catch (error) {
    for (const result of started) unawaited(result);
    throw error;
  }
  const ready: T[] = [];
  for (const result of started) {
    if (isPromiseLike(result)) return Promise.all(started);
    ready.push(result);
  }
  return ready;
}

/**
 * The results of a function for each item: one after another while they come at once, and a bounded number of them at a
 * time from the first promise on.
 * @param signal tells that nobody waits any more; looked at only when something was waited for
 * @throws what the function throws, and the reason of an abort: no further item is then begun
 */
export function mapEach<T, R>(
  items: readonly T[],
  call: (item: T) => Maybe<R>,
  signal: () => AbortSignal,
): Maybe<readonly R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    const result = call(item);
    if (isPromiseLike(result)) return mapRest(items, call, signal(), { results, index, first: result });
    results.push(result);
  }
  return results;
}

/** Where waiting begins: the results before it, and the first one on its way. */
interface Begun<R> {
  readonly results: R[];
  readonly index: number;
  readonly first: PromiseLike<R>;
}

async function mapRest<T, R>(
  items: readonly T[],
  call: (item: T) => Maybe<R>,
  signal: AbortSignal,
  { results, index, first }: Begun<R>,
): Promise<readonly R[]> {
  const rest = items.slice(index + 1).entries();
  let hasFailed = false;
  const work = async (begun?: PromiseLike<R>): Promise<void> => {
    try {
      if (begun !== undefined) results[index] = await begun;
      // All workers take from one iterator: no item is begun twice.
      for (const [position, item] of rest) {
        if (hasFailed) return;
        signal.throwIfAborted();
        // A worker takes its next item when it is done with one.
        results[index + 1 + position] = await call(item);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const others = Math.min(MAX_UNDER_WAY, items.length - index) - 1;
  await Promise.all([work(first), ...Array.from({ length: others }, () => work())]);
  signal.throwIfAborted();
  return results;
}
