import type { EntitySource } from "../../definition/handlers.ts";
import type { ResultOf } from "../../definition/types/entity-values.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import { applyQuery } from "./apply-query.ts";

/**
 * Makes a source over entities in memory, for a `queryable` handler.
 * @param type the entity type as declared
 * @param rows the entities. They are neither copied nor changed, and each read sees rows that were added before it. Only
 *   an iterator, which can run once, is collected in an array on the first read
 * @throws TypeError for rows that are not iterable
 */
export function arraySource<E extends EntityTypeDeclaration>(
  type: E,
  // The compiler names the property at fault in an array, but not in an `Iterable`.
  rows: readonly ResultOf<E>[] | Iterable<ResultOf<E>>,
): EntitySource<E> {
  if (typeof rows !== "object" || rows === null || !(Symbol.iterator in rows)) {
    throw new TypeError(`arraySource(${type.name}, …) needs an array or another iterable of entities.`);
  }
  let entities: Iterable<unknown> = rows;
  const all = (): Iterable<unknown> => {
    if (isIterator(entities)) entities = collect(entities);
    return entities;
  };
  return Object.freeze<EntitySource<E>>({
    kind: "EntitySource",
    entityType: type,
    entities: all,
    read: (query) => applyQuery(all(), query),
  });
}

/** Collects an iterator. If it fails, every later read fails too, because a part must not pass for the whole. */
function collect(iterator: Iterable<unknown>): Iterable<unknown> {
  try {
    return [...iterator];
  } catch (error) {
    return {
      [Symbol.iterator]: () => {
        throw error;
      },
    };
  }
}

/** Whether an iterable is its own iterator, such as a generator, which one loop uses up. */
function isIterator(iterable: Iterable<unknown>): boolean {
  return !Array.isArray(iterable) && Object.is(iterable[Symbol.iterator](), iterable);
}
