/** A bound on what entries weigh together. */
export interface WeightLimit<K> {
  readonly most: number;
  readonly weightOf: (key: K) => number;
}

const WEIGHTLESS: WeightLimit<unknown> = { most: 0, weightOf: () => 0 };

/**
 * A map that keeps the entries used last: beyond its capacity, in number or in weight, those that were not used for
 * longest go. An entry that is heavier than all may be together is not kept.
 */
export class BoundedCache<K, V> {
  readonly capacity: number;
  readonly #most: number;
  readonly #weightOf: (key: K) => number;
  readonly #entries = new Map<K, V>();
  #weight = 0;

  /**
   * @param capacity most entries kept, at least 1
   * @param limit by default entries weigh nothing
   */
  constructor(capacity: number, { most, weightOf }: WeightLimit<K> = WEIGHTLESS) {
    this.capacity = capacity;
    this.#most = most;
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which counts as used now; undefined when it is not kept. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Keeps a value, and lets go of those not used for longest while there is too much. */
  set(key: K, value: V): void {
    this.#delete(key);
    const weight = this.#weightOf(key);
    if (weight > this.#most) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.capacity && this.#weight <= this.#most) break;
      this.#delete(oldest);
    }
  }

  #delete(key: K): void {
    if (this.#entries.delete(key)) this.#weight -= this.#weightOf(key);
  }
}
