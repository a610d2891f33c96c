import type { EntitySource } from "../definition/sets/handlers.ts";
import type { ResultOf } from "../definition/types/infer.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { applyQuery } from "./apply-query.ts";

/**
 * A source over entities in memory: what a `queryable` handler returns.
 * @param type the entity type as declared
 * @param rows the entities; they are looked at where they stand, neither copied nor changed, so that rows added later
 *   are seen by later reads. Only an iterator, which can run but once, is kept as an array from the first read on
 * @throws TypeError for rows that cannot be iterated over
 */
export function arraySource<E extends EntityTypeDeclaration>(type: E, rows: Iterable<ResultOf<E>>): EntitySource<E> {
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

/** All that an iterator gives; of one that fails, an iterable that fails alike: the rest of it would pass for all. */
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

/** An iterator (a generator, most of all) is its own iterable, and is used up by the first loop over it. */
function isIterator(iterable: Iterable<unknown>): boolean {
  return !Array.isArray(iterable) && Object.is(iterable[Symbol.iterator](), iterable);
}
