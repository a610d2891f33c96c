/** The field in which an object keeps what was made from it. */
const MADE: unique symbol = Symbol("made");

/** What was made from one object, by the function that made it. */
type Made = Map<unknown, unknown>;

/**
 * Gives an object the field in which it keeps what is made from it. The field is hidden: it is neither compared, printed
 * nor copied, so a changed copy of the object keeps nothing of what was made from the original.
 * @param object must not be frozen yet; freeze the result
 * @returns the same object
 */
export function keeper<T extends object>(object: T): T {
  return Object.hasOwn(object, MADE)
    ? object
    : Object.defineProperty(object, MADE, { value: new Map<unknown, unknown>() });
}

/**
 * Makes a function that computes its result once per object and keeps it in the object. Where the object was
 * frozen without the field, each call computes it.
 */
export function keptPer<O extends object, V>(make: (owner: O) => V): (owner: O) => V {
  return (owner) => {
    const made = madeOf(owner);
    if (made === undefined) return make(owner);
    const known = made.get(make);
    // Only `make` itself writes under its own name.
    if (known !== undefined || made.has(make)) return known as V;
    const value = make(owner);
    made.set(make, value);
    return value;
  };
}

/**
 * Makes a function that computes its result once per pair of objects. The first keeps it, as long as the second lives.
 * @param make the owner that is a keeper comes first
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

/** An object that may still change becomes a keeper on first use; a frozen one keeps nothing. */
function madeOf(owner: object): Made | undefined {
  const made = (owner as { readonly [MADE]?: Made })[MADE];
  if (made !== undefined || !Object.isExtensible(owner)) return made;
  return madeOf(keeper(owner));
}

/**
 * Makes a function that computes its result once per object of the application, such as a database: such an object gets no
 * hidden field.
 */
export function keptPerForeign<O extends object, V>(make: (owner: O) => V): (owner: O) => V {
  const table = new WeakMap<O, { readonly value: V }>();
  return (owner) => {
    let known = table.get(owner);
    if (known === undefined) table.set(owner, (known = { value: make(owner) }));
    return known.value;
  };
}

/** Makes a function of whole numbers that computes each result once. It drops nothing: use it for few numbers. */
export function keptPerNumber<V>(make: (number: number) => V): (number: number) => V {
  const table = new Map<number, { readonly value: V }>();
  return (number) => {
    let known = table.get(number);
    if (known === undefined) table.set(number, (known = { value: make(number) }));
    return known.value;
  };
}
