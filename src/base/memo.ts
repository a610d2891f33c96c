/**
 * Makes a function that computes its result once per object and keeps it while the object is alive. A copy of the object has
 * a result of its own, so nothing but time may depend on which object is given.
 */
export function keptPer<O extends object, V>(make: (owner: O) => V): (owner: O) => V {
  const table = new WeakMap<O, { readonly value: V }>();
  return (owner) => {
    let known = table.get(owner);
    if (known === undefined) table.set(owner, (known = { value: make(owner) }));
    return known.value;
  };
}

/** Makes a function that computes its result once per pair of objects and keeps it while both are alive. */
export function keptPerPair<O extends object, P extends object, V>(
  make: (owner: O, other: P) => V,
): (owner: O, other: P) => V {
  const ofOwner = keptPer((owner: O) => keptPer((other: P) => make(owner, other)));
  return (owner, other) => ofOwner(owner)(other);
}

/** As `keptPer`, for the state of an object of the application, such as a database. Modules that keep some are listed in a test. */
export function keptPerForeign<O extends object, V>(make: (owner: O) => V): (owner: O) => V {
  return keptPer(make);
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

/** A limit on the total weight of the entries. */
interface WeightLimit<K, V> {
  readonly most: number;
  readonly weightOf: (key: K, value: V) => number;
}

const WEIGHTLESS: WeightLimit<unknown, unknown> = { most: 0, weightOf: () => 0 };

/**
 * A map with a limit. Beyond its capacity, in number or in weight, it drops the least recently used entries. It does not
 * keep a single entry that exceeds the weight limit.
 */
export class BoundedCache<K, V> {
  readonly capacity: number;
  readonly #most: number;
  readonly #weightOf: (key: K, value: V) => number;
  readonly #dropped: ((value: V) => void) | undefined;
  readonly #entries = new Map<K, V>();
  #weight = 0;

  /**
   * @param capacity maximum number of entries, at least 1
   * @param limit by default, entries have no weight
   * @param dropped receives the value of each entry that the cache drops
   */
  constructor(capacity: number, { most, weightOf }: WeightLimit<K, V> = WEIGHTLESS, dropped?: (value: V) => void) {
    this.capacity = capacity;
    this.#most = most;
    this.#weightOf = weightOf;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key and marks it as recently used; undefined for an unknown key. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Returns the value of a key, or makes and keeps it. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  /** Removes the value of a key and returns it; undefined for an unknown key. */
  take(key: K): V | undefined {
    const value = this.#entries.get(key);
    this.#delete(key);
    return value;
  }

  /** Keeps a value, and drops the least recently used entries while the cache is over its limits. */
  set(key: K, value: V): void {
    this.#delete(key);
    const weight = this.#weightOf(key, value);
    if (weight > this.#most) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    if (!this.#isOver()) return;
    for (const [oldest, its] of this.#entries) {
      this.#delete(oldest);
      this.#dropped?.(its);
      if (!this.#isOver()) return;
    }
  }

  #isOver(): boolean {
    return this.#entries.size > this.capacity || this.#weight > this.#most;
  }

  #delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#weight -= this.#weightOf(key, value);
  }
}
