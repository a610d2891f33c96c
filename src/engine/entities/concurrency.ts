import { isPromiseLike, unawaited, type Maybe, inTurn, type Turn } from "../../base/maybe.ts";

/** The number of concurrent calls of one handler: a page has many parents, and a database few connections. */
const MAX_UNDER_WAY = 16;

/** The number of items between two readings of the clock. */
const SLICE = 16;

/**
 * Starts all tasks and returns their results, without a promise if no task returned one.
 * @param tasks start when they are called; if one throws, the remaining tasks are not started
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

/** Calls a function for each item, one after another: the first error ends the calls. */
export function oneByOne<T>(items: Iterable<T>, call: (item: T) => Maybe<unknown>): Maybe<undefined> {
  const rest = items[Symbol.iterator]();
  for (let step = rest.next(); step.done !== true; step = rest.next()) {
    const result = call(step.value);
    if (isPromiseLike(result)) return callOthers(result, { [Symbol.iterator]: () => rest }, call);
  }
  return undefined;
}

async function callOthers<T>(
  first: PromiseLike<unknown>,
  rest: Iterable<T>,
  call: (item: T) => Maybe<unknown>,
): Promise<undefined> {
  await first;
  for (const item of rest) await call(item);
}

/**
 * Returns the results of a function for each item. Items run one after another until the first promise; from then on
 * a limited number runs concurrently.
 * @param signal aborts the remaining calls; read only after a promise
 * @param turn the present piece of work: other requests run when it is over
 * @throws the error of the function, or the reason of the abort; no further call is then started
 */
export function mapEach<T, R>(
  items: readonly T[],
  call: (item: T) => Maybe<R>,
  signal: () => AbortSignal,
  turn?: Turn,
): Maybe<readonly R[]> {
  const results: R[] = [];
  const callInTurn = turn === undefined ? call : (item: T) => inTurn(turn, items.length, () => call(item));
  for (const [index, item] of items.entries()) {
    const result = (index + 1) % SLICE === 0 ? callInTurn(item) : call(item);
    if (isPromiseLike(result)) return mapRest(items, callInTurn, signal(), { results, index, first: result });
    results.push(result);
  }
  return results;
}

/** The results before the first promise, and that promise. */
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
      // All workers share one iterator, so each item is processed once.
      for (const [position, item] of rest) {
        if (hasFailed) return;
        signal.throwIfAborted();
        // Each worker runs one call at a time.
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
