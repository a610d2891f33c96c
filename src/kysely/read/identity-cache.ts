/** A node of the tree: one level per key. */
interface Level<V> {
  readonly next: WeakMap<object, Level<V>>;
  value: V | undefined;
}

/**
 * Keeps what was made for a list of objects, known by their identity. It lives as long as those objects do, so whoever
 * bounds them bounds it.
 */
export class IdentityCache<V> {
  readonly #root: Level<V> = { next: new WeakMap(), value: undefined };

  /** What is kept for the objects; made on first use. */
  get(keys: readonly object[], make: () => V): V {
    let level = this.#root;
    for (const key of keys) {
      let next = level.next.get(key);
      if (next === undefined) {
        next = { next: new WeakMap(), value: undefined };
        level.next.set(key, next);
      }
      level = next;
    }
    level.value ??= make();
    return level.value;
  }
}
