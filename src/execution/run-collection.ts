import type { Context } from "../definition/context.ts";
import type { AppliedQuery, CollectionQuery, EntitySetHandlers, EntityStream } from "../definition/handlers.ts";
import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";
import { applyQuery } from "../memory/apply-query.ts";
import { toCollectionQuery } from "../plan/collection-query.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import type { RowShape } from "../query/row-shape.ts";
import type { Page, QueryableSource, SourceQuery } from "../query/source.ts";
import { chain } from "./chain.ts";

/** One page of a collection, read and cut. */
export interface CollectionResult {
  /** Entities, or rows when there is a shape to read them by. */
  readonly entities: readonly unknown[];
  readonly rowShape: RowShape | undefined;
  /** Present when asked for. */
  readonly count: number | bigint | undefined;
  /** Whether rows follow this page and the plan wants a link. */
  readonly hasMore: boolean;
  /** A next link that the set itself made; it takes priority. */
  readonly nextLink: string | undefined;
}

/** A result at once, or by a promise. */
export type MaybeResult<T> = T | PromiseLike<T>;

/**
 * Reads a page: calls the handler of the planned form, applies what the handler does not, cuts the page.
 * @param plan who does what
 * @param handlers the handlers of the set
 * @param context what the handler gets
 * @param maxEntities most entities that one response may hold; null: no limit
 * @throws ODataError that a handler returned or threw; `InvalidQueryOption` when the page is larger than `maxEntities`
 * @see specification, Collection read
 */
export function runCollection(
  plan: CollectionPlan,
  handlers: EntitySetHandlers<Context>,
  context: Context,
  maxEntities: number | null,
): MaybeResult<CollectionResult> {
  return chain(readPage(plan, handlers, context), (result) => {
    if (maxEntities !== null && result.entities.length > maxEntities) throw tooManyEntities(maxEntities);
    return result;
  });
}

function readPage(
  plan: CollectionPlan,
  handlers: EntitySetHandlers<Context>,
  context: Context,
): MaybeResult<CollectionResult> {
  if (plan.form === "profile-applied" && handlers.applyQuery !== undefined) {
    const query = toCollectionQuery(plan);
    return chain(handlers.applyQuery(query, context), (answer) => cutAppliedQuery(plan, query, orThrow(answer)));
  }
  const query = toSourceQuery(plan, context);
  if (plan.form === "queryable" && handlers.queryable !== undefined) {
    const read = chain(handlers.queryable(context), (source) => readSource(orThrow(source), query));
    return chain(read, (page) => cutPage(plan, page));
  }
  if (handlers.getAll === undefined) throw new Error("A collection without a read handler has no route.");
  const entities = chain(handlers.getAll(context), (answer) => collectEntities(orThrow(answer)));
  return chain(entities, (rows) => cutPage(plan, applyQuery(rows, query)));
}

/** The value of a handler's answer. @throws the error that the handler returned instead of a value */
export function orThrow<T>(answer: T | ODataError): T {
  if (isODataError(answer)) throw answer;
  return answer;
}

function readSource(source: QueryableSource, query: SourceQuery): MaybeResult<Page> {
  if (typeof source !== "object" || source === null || source.kind !== "EntitySource") {
    throw new TypeError("The queryable handler did not return a source: return arraySource(…) or another source.");
  }
  return source.read(query);
}

function toSourceQuery(plan: CollectionPlan, context: Context): SourceQuery {
  const { query } = plan;
  return {
    shape: query.shape,
    values: query.values,
    selected: plan.selected,
    filter: query.shape.filter,
    orderBy: plan.orderBy,
    skip: plan.skip,
    top: plan.page.readSize,
    count: query.count,
    // A getter, because most sources never look at it and a signal is dear to make.
    get signal(): AbortSignal {
      return context.signal;
    },
  };
}

/** The entities of an iterable as an array: the array itself where it is one. */
function collectEntities(stream: EntityStream): MaybeResult<Iterable<unknown>> {
  if (typeof stream === "object" && stream !== null) {
    if (Symbol.iterator in stream) return stream;
    if (Symbol.asyncIterator in stream) return collectAsync(stream);
  }
  throw new TypeError("The getAll handler did not return entities: return an array or another iterable.");
}

async function collectAsync(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const entities: unknown[] = [];
  for await (const entity of stream) entities.push(entity);
  return entities;
}

function cutPage(plan: CollectionPlan, page: Page): CollectionResult {
  const { size, linked } = plan.page;
  const hasMore = size !== undefined && page.entities.length > size;
  return {
    entities: hasMore ? page.entities.slice(0, size) : page.entities,
    rowShape: page.rowShape,
    count: plan.query.count ? page.count : undefined,
    hasMore: hasMore && linked,
    nextLink: undefined,
  };
}

/**
 * The page of a set that applied the query itself. Its own total and link count; without a link and without `$top` the
 * answer is cut to the page size.
 * @see specification, Collection read, rule 5
 */
function cutAppliedQuery(plan: CollectionPlan, query: CollectionQuery, answer: AppliedQuery): CollectionResult {
  if (typeof answer !== "object" || answer === null || !isIterable(answer.items)) {
    throw new TypeError("The applyQuery handler did not return { items }: return its page as an array or iterable.");
  }
  const items = Array.isArray(answer.items) ? (answer.items as readonly unknown[]) : [...answer.items];
  const nextLink = answer.nextLink ?? undefined;
  // Both go into the envelope as they are, so untyped code must not get anything else there.
  if (nextLink !== undefined && typeof nextLink !== "string") throw new TypeError("nextLink of applyQuery is no text.");
  if (!isCount(answer.count ?? 0)) throw new TypeError("count of applyQuery is no whole number of 0 or more.");
  const capped = nextLink === undefined && plan.page.linked && query.pageSize !== null;
  const hasMore = capped && items.length > (query.pageSize ?? items.length);
  const entities = hasMore ? items.slice(0, query.pageSize ?? undefined) : items;
  return {
    entities,
    rowShape: undefined,
    count: plan.query.count ? (answer.count ?? entities.length) : undefined,
    hasMore,
    nextLink,
  };
}

function isCount(value: unknown): boolean {
  return typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && Number(value) >= 0;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function tooManyEntities(maxEntities: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The answer would hold more than ${String(maxEntities)} entities: narrow it with $filter, or page through it with $top and $skip.`,
    { target: "$top" },
  );
}
