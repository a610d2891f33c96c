import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { GetByKeyHandler, NavigationHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet, EntityType, NavigationProperty } from "../edm/model.ts";
import { keyProperties } from "../plan/properties-to-read.ts";
import { batchLookup } from "./batch-answer.ts";
import { collectEntities } from "./collect-entities.ts";
import { entityKeyReader, identityOfKey } from "./entity-key.ts";
import { orThrow } from "./handler-answer.ts";
import { readByKey } from "./read-by-key.ts";

/** A navigation property that a set declares, with the handlers that lead along it. */
export interface NavigationSource {
  /** The set of the parents. */
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  readonly handlers: NavigationHandlers<Context>;
  /** Reads a parent by its key; undefined when the set has no such handler. */
  readonly getByKey: GetByKeyHandler<Context> | undefined;
}

/**
 * The related entities of one parent, as its handler answers them; null when there is no such parent.
 * @param key the key of the parent in the application's form
 * @throws ODataError that the handler returned or threw; TypeError for an answer of another form
 * @see specification, Navigation routes, rules 1 and 2
 */
export function readRelatedEntities(
  source: NavigationSource,
  key: unknown,
  context: Context,
): Maybe<Iterable<unknown> | null> {
  const answer = chain(askHandler(source, key, context), (related) => {
    // A batch has no entry for a parent without related entities, nor for one that does not exist.
    return related === undefined && source.handlers.get === undefined ? emptyOrNull(source, key, context) : related;
  });
  return chain(answer, (related) => {
    return related === null || related === undefined ? null : collectEntities(related, handlerName(source));
  });
}

/**
 * The related entity of one parent along a single-valued navigation; null when there is none, or no such parent.
 * @param key the key of the parent in the application's form
 * @throws ODataError that the handler returned or threw; TypeError for an answer of another form
 * @see specification, Navigation routes, rule 1
 */
export function readRelatedEntity(source: NavigationSource, key: unknown, context: Context): Maybe<object | null> {
  return chain(askHandler(source, key, context), (related) => {
    if (related === null || related === undefined) return null;
    if (typeof related === "object" && !Array.isArray(related)) return related;
    throw new TypeError(`${handlerName(source)} returned a value that is no entity where one is expected.`);
  });
}

/**
 * The entity with a key among those given; null when none has it.
 * @param key in the application's form
 * @throws TypeError for an entity that is none of its type
 */
export function findByKey(entities: Iterable<unknown>, entityType: EntityType, key: unknown): unknown {
  const identity = identityOfKey(entityType, key);
  const readKey = entityKeyReader(entityType, undefined);
  for (const entity of entities) {
    if (readKey(entity).identity === identity) return entity;
  }
  return null;
}

/** What the handler holds for the key: undefined where a batch has no entry for it. */
function askHandler(source: NavigationSource, key: unknown, context: Context): Maybe<unknown> {
  const { entitySet, handlers } = source;
  const { get, getBatch } = handlers;
  if (get !== undefined) return chain(get(key, context), (answer) => orThrow(answer));
  if (getBatch === undefined) throw new Error(`${placeOf(source)} has a route, but no handler.`);
  const { entityType } = entitySet;
  return chain(getBatch([key], context), (answer) => {
    const find = batchLookup(orThrow(answer), entityType, placeOf(source));
    return orThrow(find({ value: key, identity: identityOfKey(entityType, key) }));
  });
}

/** What a batch without an entry means: no related entities, or no parent. */
function emptyOrNull(source: NavigationSource, key: unknown, context: Context): Maybe<readonly unknown[] | null> {
  return chain(parentExists(source, key, context), (exists) => (exists ? [] : null));
}

/**
 * Tells whether the parent exists. A set that cannot read its entities by key is taken to have it.
 * @param key in the application's form
 * @throws ODataError that the handler returned or threw
 */
export function parentExists(
  { getByKey, entitySet }: NavigationSource,
  key: unknown,
  context: Context,
): Maybe<boolean> {
  if (getByKey === undefined) return true;
  const parent = readByKey(getByKey, key, context, () => keyProperties(entitySet.entityType));
  return chain(parent, (found) => found !== null);
}

function handlerName(source: NavigationSource): string {
  return `The handler of ${placeOf(source)}`;
}

function placeOf({ entitySet, navigationProperty }: NavigationSource): string {
  return `${entitySet.name}/${navigationProperty.name}`;
}
