import { isODataError, protocolError, type ODataError } from "../../base/errors/odata-error.ts";
import { isPromiseLike, type Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { Awaitable, EntityStream } from "../../definition/handlers.ts";
import type { EntitySet, EntityType, NavigationProperty } from "../../edm/model.ts";
import type { QueryShape } from "../../language/query/clauses.ts";
import type { JsonEntities } from "../../language/query/json-entities.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { QueryableSource, Page } from "../../language/query/source.ts";
import { isEntity } from "../memory/evaluation.ts";
import type { JoinedSteps } from "../plan/join-expansions.ts";
import type { CollectionPlan, LastRow } from "../plan/plan-collection.ts";
import { EntityIterator } from "./entity-iterator.ts";
import { type EntityKey, identityOfKey } from "./entity-key.ts";
import { type Reader, serviceOf } from "./reader.ts";

/** The number of entities that are read from an async iterable at a time. */
const CHUNK = 1000;

/** Returns the value that a handler returned. @throws the error that the handler returned instead of a value */
export function answeredValue<T>(answer: T | ODataError): T {
  if (isODataError(answer)) throw answer;
  return answer;
}

/**
 * Returns the answer of a delete handler: whether the entity existed.
 * @throws TypeError for any other value
 */
export function answeredDeletion(answer: unknown, { name }: EntitySet): boolean {
  if (typeof answer === "boolean") return answer;
  throw new TypeError(`The delete handler of ${name} did not return true or false.`);
}

/**
 * Returns the related entities that the handler of a navigation returned for one key: an iterable for a collection,
 * otherwise an entity. Null and undefined are returned unchanged.
 * @param place set and navigation property, for messages
 * @throws the error that the handler returned; TypeError for an invalid result; as for `collectEntities`
 */
export function answeredRelated(
  answer: unknown,
  { isCollection }: NavigationProperty,
  place: string,
  reader: Reader,
): Awaitable<object | null | undefined> {
  const related = answeredValue(answer);
  if (related === null || related === undefined) return related;
  return isCollection ? collectEntities(related, `The handler of ${place}`, reader) : answeredEntity(related, place);
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

/** Returns the source of a handler in the database of its request. @throws errors of the application that finds the database */
export function openedSource(source: QueryableSource, context: Context): Maybe<QueryableSource> {
  const { openIn } = isSource(source) ? source : {};
  return openIn === undefined ? source : openIn(context);
}

/**
 * Returns the entities that a handler returned as an iterable: an array or another iterable unchanged, the entities of
 * an async iterable collected.
 * @param handler the handler, for messages, such as `The getAll handler`
 * @throws TypeError for a value that is not a list, and for an array that contains a promise; ODataError
 *   `InvalidQueryOption` for an async iterable with more entities than `maxIterableEntities`
 */
export function collectEntities(answer: unknown, handler: string, reader: Reader): Awaitable<Iterable<unknown>> {
  if (Array.isArray(answer)) return withoutPromises(answer, handler);
  if (isIterable(answer)) return answer;
  if (isAsyncIterable(answer)) return collectAsync(answer, handler, reader);
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

/** Collects an async iterable. It is not read further than one entity above the limit. */
async function collectAsync(
  iterable: AsyncIterable<unknown>,
  handler: string,
  reader: Reader,
): Promise<readonly unknown[]> {
  const limit = serviceOf(reader.context).limits.maxIterableEntities;
  const most = limit ?? Infinity;
  const iterator = new EntityIterator(iterable, reader);
  const entities: unknown[] = [];
  while (!iterator.isOver) {
    entities.push(...(await iterator.pull(Math.min(CHUNK, most - entities.length + 1))));
    if (entities.length > most) {
      iterator.close();
      throw tooManyIterated(handler, most);
    }
  }
  return entities;
}

function tooManyIterated(handler: string, most: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `${handler} returned more than ${String(most)} entities, and this request needs all of them: narrow it, or omit $orderby, $count and $expand.`,
  );
}

/** Finds the value that a batch handler returned for a key; undefined where the Map has none. */
type FindAnswer = (key: EntityKey) => unknown;

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

/** Some entities of a page, in one form. */
export interface CollectionPart {
  /** Entities, or rows where there is a row shape. */
  readonly entities: readonly unknown[];
  readonly rowShape: RowShape | undefined;
  /** The entities as JSON, if the source wrote them; then `entities` is empty. */
  readonly json?: JsonEntities | undefined;
  /** The expansions that are joined to the rows. */
  readonly joined: JoinedSteps;
  /** Returns the row before a next page, after so many of these entities; absent: none is known. */
  readonly lastAt?: ((length: number) => LastRow | undefined) | undefined;
  /** The shape of the rows of one branch of `$apply`; absent: that of the query. */
  readonly shape?: QueryShape | undefined;
}

/** One page of a collection, read and cut. */
export interface CollectionResult extends CollectionPart {
  /** The further parts of the page, each with entities; absent: none. */
  readonly further?: readonly CollectionPart[] | undefined;
  /** Present when requested. */
  readonly count: number | bigint | undefined;
  /** Whether rows follow this page and the plan wants a link. */
  readonly hasMore: boolean;
  /** The next link of the handler itself; it takes priority. */
  readonly nextLink: string | undefined;
}

/** Returns the number of entities of a page. */
export function sizeOf({ json, entities }: Pick<CollectionPart, "json" | "entities">): number {
  return json?.length ?? entities.length;
}

/**
 * Cuts a page.
 * @param most the greatest number of entities; JSON has one more at most
 * @returns the same page if it is short enough
 */
export function cutPage(page: Page, most: number): Page {
  if (sizeOf(page) <= most) return page;
  if (page.rowShape !== undefined) return { ...page, entities: page.entities.slice(0, most) };
  if (page.json === undefined) return { ...page, entities: page.entities.slice(0, most) };
  const { bytes, length, lastStart, previousStart, total } = page.json;
  const rest = bytes.subarray(0, Math.max(lastStart - 1, 0));
  return { ...page, json: { bytes: rest, length: length - 1, total, lastStart: previousStart, previousStart: 0 } };
}

/** Returns the count, which a plan may want without the skipped rows. @see docs/reference/navigation.md */
export function countOf<C extends Page["count"]>({ countsAfterSkip, skip }: CollectionPlan, count: C): C | bigint {
  if (!countsAfterSkip || count === undefined) return count;
  const rest = BigInt(count) - BigInt(skip);
  return rest > 0n ? rest : 0n;
}
