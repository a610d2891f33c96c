/**
 * A map that keeps the entries used last: beyond its capacity the one that was not used for longest goes. Lookups and
 * insertions cost the same whatever the size.
 */
export class BoundedCache<K, V> {
  readonly capacity: number;
  readonly #entries = new Map<K, V>();

  /** @param capacity most entries kept, at least 1 */
  constructor(capacity: number) {
    this.capacity = capacity;
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

  /** Keeps a value, and lets go of the one not used for longest when there are too many. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.capacity) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
  }
}
