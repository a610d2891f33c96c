/** A limit on the total weight of the entries. */
interface WeightLimit<K> {
  readonly most: number;
  readonly weightOf: (key: K) => number;
}

const WEIGHTLESS: WeightLimit<unknown> = { most: 0, weightOf: () => 0 };

/**
 * A map with a limit. Beyond its capacity, in number or in weight, it drops the least recently used entries. It does not
 * keep a single entry that exceeds the weight limit.
 */
export class BoundedCache<K, V> {
  readonly capacity: number;
  readonly #most: number;
  readonly #weightOf: (key: K) => number;
  readonly #dropped: ((value: V) => void) | undefined;
  readonly #entries = new Map<K, V>();
  #weight = 0;

  /**
   * @param capacity maximum number of entries, at least 1
   * @param limit by default, entries have no weight
   * @param dropped receives the value of each entry that the cache drops
   */
  constructor(capacity: number, { most, weightOf }: WeightLimit<K> = WEIGHTLESS, dropped?: (value: V) => void) {
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
    const weight = this.#weightOf(key);
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
    if (this.#entries.delete(key)) this.#weight -= this.#weightOf(key);
  }
}
