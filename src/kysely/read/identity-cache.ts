import type { SourcesBySet } from "../../query/source.ts";
import { findReader } from "./row-source.ts";

/** A node of the tree: one level per key. */
interface Level<V> {
  readonly next: WeakMap<object, Level<V>>;
  value: V | undefined;
}

/**
 * Caches a value per list of objects, by their identity. An entry lives as long as those objects, so the cache is bounded
 * if they are.
 */
export class IdentityCache<V> {
  readonly #root: Level<V> = { next: new WeakMap(), value: undefined };

  /** Returns the cached value for the objects; makes it on first use. */
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

/** Returns the identities of a statement besides its shape: one for each base query that it mentions. */
export function identitiesOf(sources: SourcesBySet | undefined): readonly object[] {
  // A source without a database may be among them, as long as the query reads nothing from it.
  return Array.from(sources ?? [], ([entitySet, source]) => {
    const reader = findReader(source);
    return reader === undefined ? [] : [entitySet, reader.statements];
  }).flat();
}

/** Returns the statement of a combination of clauses, made on first use. It may be null. */
export function variantOf<S>(variants: Map<number, S>, clauses: readonly boolean[], make: () => S): S {
  const index = clauses.reduce((number, clause) => number * 2 + (clause ? 1 : 0), 0);
  const known = variants.get(index);
  if (known !== undefined) return known;
  const made = make();
  variants.set(index, made);
  return made;
}
