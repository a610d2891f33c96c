/** The field in which an object keeps values computed from it. */
const MADE: unique symbol = Symbol("made");

/** Values computed from one object, by the function that computed them. */
type Made = Map<unknown, unknown>;

/**
 * Gives an object the field in which it keeps values computed from it. The field is hidden: it is neither compared, printed
 * nor copied, so a changed copy of the object does not keep values of the original.
 * @param object must not be frozen yet; freeze the result
 * @returns the same object
 */
export function keeper<T extends object>(object: T): T {
  return Object.hasOwn(object, MADE)
    ? object
    : Object.defineProperty(object, MADE, { value: new Map<unknown, unknown>() });
}

/**
 * Makes a function that computes its result once per object and keeps it in the object. If the object was frozen without
 * the field, each call computes the result.
 */
export function keptPer<O extends object, V>(make: (owner: O) => V): (owner: O) => V {
  return (owner) => {
    const made = madeOf(owner);
    if (made === undefined) return make(owner);
    const known = made.get(make);
    // Only this function stores values under the key `make`.
    if (known !== undefined || made.has(make)) return known as V;
    const value = make(owner);
    made.set(make, value);
    return value;
  };
}

/**
 * Makes a function that computes its result once per pair of objects. The first object keeps it while the second is alive.
 * @param make its first argument is the keeper
 */
export function keptPerPair<O extends object, P extends object, V>(
  make: (owner: O, other: P) => V,
): (owner: O, other: P) => V {
  const tableOf = keptPer((_owner: O) => new WeakMap<P, { readonly value: V }>());
  return (owner, other) => {
    const table = tableOf(owner);
    let known = table.get(other);
    if (known === undefined) table.set(other, (known = { value: make(owner, other) }));
    return known.value;
  };
}

/** An extensible object becomes a keeper on first use; a frozen object does not keep anything. */
function madeOf(owner: object): Made | undefined {
  const made = (owner as { readonly [MADE]?: Made })[MADE];
  if (made !== undefined || !Object.isExtensible(owner)) return made;
  return madeOf(keeper(owner));
}

/**
 * Makes a function that computes its result once per object of the application, such as a database, without adding a field
 * to the object.
 */
export function keptPerForeign<O extends object, V>(make: (owner: O) => V): (owner: O) => V {
  const table = new WeakMap<O, { readonly value: V }>();
  return (owner) => {
    let known = table.get(owner);
    if (known === undefined) table.set(owner, (known = { value: make(owner) }));
    return known.value;
  };
}

/** Makes a function of whole numbers that computes each result once. It keeps all results: use it for few numbers. */
export function keptPerNumber<V>(make: (number: number) => V): (number: number) => V {
  const table = new Map<number, { readonly value: V }>();
  return (number) => {
    let known = table.get(number);
    if (known === undefined) table.set(number, (known = { value: make(number) }));
    return known.value;
  };
}

/** Returns a function that makes its value on the first call and returns the same value from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
