import { isPromiseLike } from "../base/maybe.ts";
import type { Awaitable, EntityStream } from "../definition/handlers.ts";
import type { EntityType, NavigationProperty } from "../edm/model.ts";
import { isODataError, type ODataError } from "../errors/odata-error.ts";
import { isEntity } from "../memory/entity.ts";
import type { QueryableSource } from "../query/source.ts";
import { type EntityKey, identityOfKey } from "./entity-key.ts";

/** Returns the value that a handler returned. @throws the error that the handler returned instead of a value */
export function answeredValue<T>(answer: T | ODataError): T {
  if (isODataError(answer)) throw answer;
  return answer;
}

/**
 * Returns the related entities that the handler of a navigation returned for one key: an iterable for a collection,
 * otherwise an entity. Null and undefined are returned unchanged.
 * @param place set and navigation property, for messages
 * @throws the error that the handler returned; TypeError for an invalid result
 */
export function answeredRelated(
  answer: unknown,
  { isCollection }: NavigationProperty,
  place: string,
): Awaitable<object | null | undefined> {
  const related = answeredValue(answer);
  if (related === null || related === undefined) return related;
  return isCollection ? collectEntities(related, `The handler of ${place}`) : answeredEntity(related, place);
}

/** Returns an entity that the handler of a navigation returned. @throws TypeError for any other value */
export function answeredEntity(value: unknown, place: string): object {
  if (isEntity(value)) return value;
  throw new TypeError(`The handler of ${place} returned a value that is not an entity.`);
}

/** Whether the value of a handler that may return either is a source. */
export function isSource(value: QueryableSource | EntityStream): value is QueryableSource {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "EntitySource";
}

/**
 * Returns the entities that a handler returned as an iterable: an array or another iterable unchanged, the entities of
 * an async iterable collected.
 * @param handler the handler, for messages, such as `The getAll handler`
 * @throws TypeError for a value that is not a list, and for an array that contains a promise
 */
export function collectEntities(answer: unknown, handler: string): Awaitable<Iterable<unknown>> {
  if (Array.isArray(answer)) return withoutPromises(answer, handler);
  if (isIterable(answer)) return answer;
  if (isAsyncIterable(answer)) return collectAsync(answer);
  throw new TypeError(`${handler} did not return entities: return an array or another iterable.`);
}

/**
 * Returns an array unchanged, unless one of its items is a promise, whose members would be taken for those of an entity.
 * @throws TypeError that names the first promise
 */
export function withoutPromises(items: readonly unknown[], handler: string): readonly unknown[] {
  const index = items.findIndex(isPromiseLike);
  if (index === -1) return items;
  const place = `item ${String(index)} is a promise`;
  throw new TypeError(`${handler} did not return entities: ${place}: await it, as \`await Promise.all(items)\` does.`);
}

/** Whether a value is a list. Strings are iterable too, but contain no entities. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** Whether a value is a list that is read asynchronously. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && !isIterable(value);
}

async function collectAsync(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const entities: unknown[] = [];
  for await (const entity of stream) entities.push(entity);
  return entities;
}

/** Finds the value that a batch handler returned for a key; undefined where the Map has none. */
export type FindAnswer = (key: EntityKey) => unknown;

/**
 * Makes the look-up in the Map that a batch handler returned. Keys are compared by value, so composite keys may be other
 * objects than the handler got.
 * @param entityType the type of the parents
 * @param place set and navigation property, for messages
 * @throws TypeError for a value that is not a Map; when called, for a key in the Map that is not a key of the type
 */
export function batchLookup(answer: unknown, entityType: EntityType, place: string): FindAnswer {
  if (!(answer instanceof Map)) {
    throw new TypeError(`getBatch of ${place} did not return a Map: return one with the keys that it was given.`);
  }
  const answers: ReadonlyMap<unknown, unknown> = answer;
  const isSingle = entityType.key.length === 1;
  let byIdentity: ReadonlyMap<string, unknown> | null = null;
  return ({ value, identity }) => {
    // Most handlers use the keys that they got, so the whole Map, which may be large, need not be indexed.
    if (isSingle && answers.has(value)) return answers.get(value);
    byIdentity ??= indexByIdentity(answers, entityType, place);
    return byIdentity.get(identity);
  };
}

function indexByIdentity(
  answer: ReadonlyMap<unknown, unknown>,
  entityType: EntityType,
  place: string,
): ReadonlyMap<string, unknown> {
  try {
    return new Map(Array.from(answer, ([key, value]) => [identityOfKey(entityType, key), value]));
  } catch (error) {
    throw new TypeError(`getBatch of ${place} returned a Map with a key that is not a key of ${entityType.name}.`, {
      cause: error,
    });
  }
}
