import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { NavigationHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import { isEntity } from "../memory/entity.ts";
import { searchOfKeys, type ExpandSearch } from "../plan/plan-expand.ts";
import { keyProperties } from "../plan/properties-to-read.ts";
import { askByKey, type HandlerWay } from "./ask-by-key.ts";
import { identityOfKey } from "./entity-key.ts";
import { collectEntities, answeredValue } from "./handler-answer.ts";
import { readByKey } from "./read-by-key.ts";
import { definitionOf, type Reader } from "./reader.ts";
import { searchMatches } from "./search-related.ts";

/** A navigation property that a set declares, as its routes read it. */
export interface NavigationSource {
  /** The set of the parents. */
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  readonly handlers: NavigationHandlers<Context>;
  /** The handler that leads along it; null: none does. */
  readonly way: HandlerWay | null;
  /** The set that the related entities belong to; null: they belong to none. */
  readonly target: EntitySet | null;
}

/** Finds the entities of a collection that match a search: without it the binder has refused `$search`. */
export type SearchHandler = ExpandSearch["search"];

/**
 * Reads the related entities of one parent; null when there is no such parent.
 * @param key the key of the parent in the application's form
 * @throws ODataError that the handler returned or threw; TypeError for an answer of another form
 * @see docs/reference/navigation.md
 */
export function readRelatedEntities(
  source: NavigationSource,
  key: unknown,
  reader: Reader,
): Maybe<Iterable<unknown> | null> {
  const answer = chain(askHandler(source, key, reader), (related) => {
    // A batch has no entry for a parent without related entities, nor for one that does not exist.
    if (related !== undefined || source.way?.kind !== "batch") return related;
    return chain(parentExists(source, key, reader), (exists) => (exists ? [] : null));
  });
  return chain(answer, (related) => {
    return related === null || related === undefined ? null : collectEntities(related, handlerName(source));
  });
}

/**
 * Reads the related entity of one parent along a single-valued navigation; null when there is none, or no such parent.
 * @param key the key of the parent in the application's form
 * @throws ODataError that the handler returned or threw; TypeError for an answer of another form
 * @see docs/reference/navigation.md
 */
export function readRelatedEntity(source: NavigationSource, key: unknown, reader: Reader): Maybe<object | null> {
  return chain(askHandler(source, key, reader), (related) => {
    if (related === null || related === undefined) return null;
    if (isEntity(related)) return related;
    throw new TypeError(`${handlerName(source)} returned a value that is no entity where one is expected.`);
  });
}

/** What the handler returned for the key: undefined where a batch has no entry for it. */
function askHandler(source: NavigationSource, value: unknown, reader: Reader): Maybe<unknown> {
  const { way, entitySet } = source;
  const place = placeOf(source);
  if (way === null) throw new Error(`${place} has a route, but no handler.`);
  const { entityType } = entitySet;
  const key = {
    value,
    // A getter, because most handlers are asked for one key.
    get identity() {
      return identityOfKey(entityType, value);
    },
  };
  return chain(
    askByKey(way, [{ key }], { ...source, entityType, place }, (answer) => answeredValue(answer), reader),
    ([answer]) => answer,
  );
}

/**
 * Tells whether the parent exists. A set that cannot read its entities by key is taken to have it.
 * @param key in the application's form
 * @throws ODataError that the handler returned or threw
 */
export function parentExists(
  { entitySet }: Pick<NavigationSource, "entitySet">,
  key: unknown,
  reader: Reader,
): Maybe<boolean> {
  if (definitionOf(entitySet, reader.context).handlers.getByKey === undefined) return true;
  const parent = readByKey(entitySet, key, reader, () => keyProperties(entitySet.entityType));
  return chain(parent, (found) => found !== null);
}

/**
 * Returns the related entities that the search of their own set finds, in the order in which they are.
 * @throws ODataError that the search handler returned or threw; TypeError for an answer of another form
 */
export function searchRelatedRows(
  related: Iterable<unknown>,
  target: EntitySet,
  { search, clause }: RelatedSearch,
  reader: Reader,
): Maybe<Iterable<unknown>> {
  if (search === undefined) throw new Error(`${target.name} cannot be searched.`);
  const planned = searchOfKeys({ search, clause }, target, "spec-compliant");
  return chain(searchMatches(planned, reader), (isMatch) => [...related].filter(isMatch));
}

/** A search among related entities, which the set that they belong to answers. */
export interface RelatedSearch extends Pick<ExpandSearch, "clause"> {
  readonly search: SearchHandler | undefined;
}

function handlerName(source: NavigationSource): string {
  return `The handler of ${placeOf(source)}`;
}

function placeOf({ entitySet, navigationProperty }: NavigationSource): string {
  return `${entitySet.name}/${navigationProperty.name}`;
}
