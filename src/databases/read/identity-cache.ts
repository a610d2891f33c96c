import type { SourcesBySet } from "../../language/query/source.ts";
import { findReader } from "./row-source.ts";

/** The keys of a statement that tests several rows: a fixed number, so that the statement is kept. */
export const MANY_KEYS = 64;

/** A node of the tree: one level per key. */
interface Level<V> {
  readonly next: WeakMap<object, Level<V>>;
  value: V | undefined;
}

/** Counts the changes of the tables of a database that made statements outdated. */
export interface SchemaChanges {
  readonly count: number;
}

/**
 * Caches a value per list of objects, by their identity. An entry lives as long as those objects, so the cache is bounded
 * if they are. All entries end when the tables change.
 */
export class IdentityCache<V> {
  readonly #changes: SchemaChanges;
  #root: Level<V> = newLevel();
  #count = 0;

  constructor(changes: SchemaChanges) {
    this.#changes = changes;
  }

  /** Returns the cached value for the objects; makes it on first use. */
  get(keys: readonly object[], make: () => V): V {
    if (this.#count !== this.#changes.count) {
      this.#count = this.#changes.count;
      this.#root = newLevel();
    }
    let level = this.#root;
    for (const key of keys) {
      let next = level.next.get(key);
      if (next === undefined) {
        next = newLevel();
        level.next.set(key, next);
      }
      level = next;
    }
    level.value ??= make();
    return level.value;
  }
}

function newLevel<V>(): Level<V> {
  return { next: new WeakMap(), value: undefined };
}

/** Returns the identities of a statement besides its shape: one for each base query that it mentions. */
export function identitiesOf(sources: SourcesBySet | undefined): readonly object[] {
  // A source without a database may be among them, as long as the query reads nothing from it.
  return Array.from(sources ?? [], ([entitySet, source]) => {
    const reader = findReader(source);
    return reader === undefined ? [] : [entitySet, reader.statements.kept];
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
