/** Tells a promise (or any thenable) from a value. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/**
 * Goes on with a value that may still be on its way: at once when it is there, so that synchronous handlers cost no
 * promise.
 */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isPromiseLike(value) ? value.then(next) : next(value);
}
