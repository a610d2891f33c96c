/** A value, or a promise of it. */
export type Maybe<T> = T | PromiseLike<T>;

/** Returns whether a value is a promise or any other thenable, functions included. */
export function isPromiseLike<T>(value: Maybe<T>): value is PromiseLike<T> {
  const canHaveThen = (typeof value === "object" && value !== null) || typeof value === "function";
  return canHaveThen && "then" in value && typeof value.then === "function";
}

/**
 * Calls `next` with a value: synchronously unless the value is a promise, so that synchronous handlers need no promise. A
 * thenable that is not a promise becomes one, because its `then` need not return anything.
 */
export function chain<T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> {
  if (value instanceof Promise) return value.then(next);
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Returns the result of a function, or what `onError` returns for the error that it throws or that its promise rejects with. */
export function recover<T, R>(run: () => Maybe<T>, onError: (error: unknown) => R): Maybe<T | R> {
  try {
    const value = run();
    return isPromiseLike(value) ? Promise.resolve(value).catch(onError) : value;
  } catch (error) {
    return onError(error);
  }
}

/** Returns a value that may never be awaited. Its rejection does not end the process. */
export function unawaited<T>(value: Maybe<T>): Maybe<T> {
  if (isPromiseLike(value)) Promise.resolve(value).catch(ignore);
  return value;
}

function ignore(): void {
  // An await of the value still throws the error.
}
