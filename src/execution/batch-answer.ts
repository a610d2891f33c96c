import type { EntityType } from "../edm/model.ts";
import { InvalidValueError } from "../edm/value-codec.ts";
import { type EntityKey, identityOfKey } from "./entity-key.ts";

/** Finds what a batch handler answered for a key; undefined where it answered nothing. */
export type FindAnswer = (key: EntityKey) => unknown;

/**
 * Makes the look-up in the Map that a batch handler returned. Keys are compared by value, so that composite ones need
 * not be the objects that the handler was given.
 * @param entityType the type of the parents
 * @param place set and navigation property, for messages
 * @throws TypeError when the answer is no Map; run, for a key in it that is none of the type
 * @see specification, $expand, rule 3
 */
export function batchLookup(answer: unknown, entityType: EntityType, place: string): FindAnswer {
  if (!isMap(answer)) {
    throw new TypeError(`getBatch of ${place} did not return a Map: return one with the keys that it was given.`);
  }
  const isSingle = entityType.key.length === 1;
  let byIdentity: ReadonlyMap<string, unknown> | null = null;
  return ({ value, identity }) => {
    // Most handlers use the keys as they were given: no need to look over the whole Map, which may be a large one.
    if (isSingle && answer.has(value)) return answer.get(value);
    byIdentity ??= indexByIdentity(answer, entityType, place);
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
    if (!(error instanceof InvalidValueError)) throw error;
    throw new TypeError(`getBatch of ${place} returned a Map with a key that is none of ${entityType.name}.`, {
      cause: error,
    });
  }
}

/** Tells a map from anything else: one of another realm is one too. */
export function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return true;
  return typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Map]";
}
