/** Tells a promise (or any thenable, functions too) from a value. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const canHaveThen = (typeof value === "object" && value !== null) || typeof value === "function";
  return canHaveThen && "then" in value && typeof value.then === "function";
}

/**
 * Goes on with a value that may still be on its way: at once when it is there, so that synchronous handlers cost no
 * promise. A thenable that is no promise becomes one: its `then` need not return anything.
 */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  if (value instanceof Promise) return value.then(next);
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}
