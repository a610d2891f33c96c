/** The field in which an object refers to the source of its later properties. */
const SOURCE: unique symbol = Symbol("source");

interface Holder<S> {
  readonly [SOURCE]: S;
}

/**
 * Makes a function that gives an object properties of a source, which are read on each use: making them is expensive, and most
 * objects are never asked for them. A copy of the object has their values.
 *
 * All objects share the getters. A getter in an object literal is a new function for each object: V8 then makes a hidden class
 * for each, and keeps everything that the function sees until it collects the old generation.
 * @param names the properties
 */
export function readsLater<const K extends string>(
  ...names: readonly K[]
): <T extends object, S extends { readonly [P in K]?: unknown }>(object: T, source: S) => T & Pick<S, K> {
  const getters = names.map((name) => {
    const read = function (this: Holder<Readonly<Record<string, unknown>>>): unknown {
      return this[SOURCE][name];
    };
    return [name, { get: read, enumerable: true, configurable: true }] as const;
  });
  return <T extends object, S extends { readonly [P in K]?: unknown }>(object: T, source: S) => {
    Object.defineProperty(object, SOURCE, { value: source });
    for (const [name, getter] of getters) Object.defineProperty(object, name, getter);
    return object as T & Pick<S, K>;
  };
}

/** Gives an object the signal of another one, which is made on first use. */
export const withSignalOf: <T extends object, S extends { readonly signal?: AbortSignal | undefined }>(
  object: T,
  source: S,
) => T & Pick<S, "signal"> = readsLater("signal");
