import { chain, type Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { NavigationHandlers } from "../../definition/handlers.ts";
import type { EntitySet, EntityType } from "../../edm/model.ts";
import { identityOfKey } from "../entities/entity-key.ts";
import { isIterable } from "../entities/handler-answer.ts";
import { definitionOf, type Reader } from "../entities/reader.ts";
import { isEntity } from "../memory/evaluation.ts";
import { keyQuery, type ExpandSearch } from "../plan/plan-expand.ts";
import { keyProperties } from "../plan/properties-to-read.ts";
import { readByKey } from "./read-by-key.ts";
import { type AnswerReading, type ReadNavigation, readRelated, type RelatedReading } from "./read-related.ts";
import { searchMatches } from "./search-related.ts";

/** A navigation property of a set, as its routes read it: in one way, or in none. */
export interface NavigationSource extends ReadNavigation {
  readonly handlers: NavigationHandlers<Context>;
}

/** Finds the entities of a collection that match a search. Without it, the binder rejects `$search`. */
export type SearchHandler = ExpandSearch["search"];

/**
 * Reads the related entities of one parent; null when the parent does not exist.
 * @param key the key of the parent in the application's form
 * @throws ODataError that the handler returned or threw; TypeError for an invalid handler result
 * @see docs/reference/navigation.md
 */
export function readRelatedEntities(
  source: NavigationSource,
  key: unknown,
  reader: Reader,
): Maybe<Iterable<unknown> | null> {
  return chain(askHandler(source, key, reader), (related): Maybe<Iterable<unknown> | null> => {
    if (isIterable(related)) return related;
    // A batch has no entry for a parent without related entities, nor for a missing parent.
    if (related === null || source.ways[0]?.kind !== "batch") return null;
    return chain(parentExists(source, key, reader), (exists) => (exists ? [] : null));
  });
}

/**
 * Reads the related entity of one parent along a single-valued navigation; null without
 * a related entity or a parent.
 * @param key the key of the parent in the application's form
 * @throws ODataError that the handler returned or threw; TypeError for an invalid handler result
 * @see docs/reference/navigation.md
 */
export function readRelatedEntity(source: NavigationSource, key: unknown, reader: Reader): Maybe<object | null> {
  return chain(askHandler(source, key, reader), (related) => (isEntity(related) ? related : null));
}

/** The key of a parent. Most handlers get one key, and its identity is not read. */
class NavigationKey {
  readonly value: unknown;
  readonly #entityType: EntityType;

  constructor(entityType: EntityType, value: unknown) {
    this.#entityType = entityType;
    this.value = value;
  }

  get identity(): string {
    return identityOfKey(this.#entityType, this.value);
  }
}

const ANSWERS: AnswerReading<unknown> = { prepare: null, take: (related) => related, loaded: null };
const AS_RETURNED: RelatedReading<unknown> = { answers: () => ANSWERS, none: null };

/** Returns the handler's result for the key: undefined where a batch has no entry for it. */
function askHandler(source: NavigationSource, value: unknown, reader: Reader): Maybe<unknown> {
  const { entityType } = source.entitySet;
  const key = new NavigationKey(entityType, value);
  const parent = { entities: [undefined], key, rowShape: undefined, entityType };
  return chain(readRelated(parent, source, AS_RETURNED, reader), ({ found }) => found[0]);
}

/**
 * Whether the parent exists. The parent is assumed to exist in a set that cannot read by key.
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
 * Returns the related entities that match a search in their own set, in their order.
 * @throws ODataError that the search handler returned or threw; TypeError for an invalid handler result
 */
export function searchRelatedRows(
  related: Iterable<unknown>,
  target: EntitySet,
  { search, clause }: RelatedSearch,
  reader: Reader,
): Maybe<Iterable<unknown>> {
  if (search === undefined) throw new Error(`${target.name} cannot be searched.`);
  return chain(searchMatches({ search, clause, query: keyQuery(target) }, reader), (isMatch) =>
    [...related].filter(isMatch),
  );
}

/** A search among related entities, by the search handler of their set. */
export interface RelatedSearch extends Pick<ExpandSearch, "clause"> {
  readonly search: SearchHandler | undefined;
}
