/** Returns a function that makes its value on the first call and returns the same value from then on. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
