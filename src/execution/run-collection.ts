import { chain, isPromiseLike, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { AppliedQuery, CollectionQuery, EntitySetHandlers } from "../definition/handlers.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { NO_JOINS, type JoinedSteps } from "../plan/join-expansions.ts";
import {
  toCollectionQuery,
  type CollectionPlan,
  type LastRow,
  planCount,
  type ReadForm,
} from "../plan/plan-collection.ts";
import { restrictQuery } from "../plan/row-rules.ts";
import type { BoundQuery } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";
import type { JsonEntities, JsonPage, Page, QueryableSource, SourceQuery } from "../query/source.ts";
import { chooseJoins, type ChosenJoins } from "./choose-joins.ts";
import { isIterable, isSource, answeredValue, withoutPromises } from "./handler-answer.ts";
import { readCounted, readLastRow } from "./keyset-page.ts";
import { readAll } from "./open-set.ts";
import { applyInMemory, openSource, readFrom } from "./read-source.ts";
import { type Reader, serviceOf, timeoutOf } from "./reader.ts";
import { conditionsFor } from "./row-access.ts";
import { runSearch } from "./search-related.ts";

/** One page of a collection, read and cut. */
export interface CollectionResult {
  /** Entities, or rows where there is a row shape. */
  readonly entities: readonly unknown[];
  readonly rowShape: RowShape | undefined;
  /** The entities as JSON, if the source wrote them; then `entities` is empty. */
  readonly json?: JsonEntities | undefined;
  /** Present when requested. */
  readonly count: number | bigint | undefined;
  /** Whether rows follow this page and the plan wants a link. */
  readonly hasMore: boolean;
  /** The next link of the handler itself; it takes priority. */
  readonly nextLink: string | undefined;
  /** The expansions that are joined to the rows. */
  readonly joined: JoinedSteps;
  /** The last row, where the next link starts after it. */
  readonly last?: LastRow | undefined;
}

/** The handlers that a collection is read by. */
export interface CollectionRows {
  readonly handlers: EntitySetHandlers<Context>;
  /** The set of the handlers; null where they return only entities that the user sees. */
  readonly entitySet: EntitySet | null;
}

/**
 * Reads a page: calls the handler of the planned form, applies the options that the handler does not, cuts the page.
 * @param plan assigns each option to the handler or to memory
 * @param maxEntities the greatest number of entities in one response; null: no limit
 * @throws ODataError that a handler returned or threw; `InvalidQueryOption` when the page is larger than `maxEntities`
 * @see docs/reference/entity-sets.md
 */
export function runCollection(
  plan: CollectionPlan,
  rows: CollectionRows,
  reader: Reader,
  maxEntities: number | null,
): Maybe<CollectionResult> {
  return chain(readPage(plan, rows, reader), (result) => {
    if (maxEntities !== null && sizeOf(result) > maxEntities) throw tooManyEntities(maxEntities);
    return result;
  });
}

/** Returns the number of entities of a page. */
export function sizeOf({ json, entities }: Pick<CollectionResult, "json" | "entities">): number {
  return json?.length ?? entities.length;
}

/**
 * Counts the entities that a query selects. A source counts without returning rows. A set with `applyQuery` returns its
 * total. Otherwise the entities are counted.
 * @throws ODataError that a handler returned or threw
 * @see docs/reference/count.md
 */
export function runCount(
  form: ReadForm,
  query: BoundQuery,
  rows: CollectionRows,
  reader: Reader,
): Maybe<number | bigint> {
  return chain(
    runCollection(planCount(form, query), rows, reader, null),
    (result) => result.count ?? result.entities.length,
  );
}

function readPage(
  plan: CollectionPlan,
  { handlers, entitySet }: CollectionRows,
  reader: Reader,
): Maybe<CollectionResult> {
  const { context } = reader;
  if (plan.form === "apply-query" && handlers.applyQuery !== undefined) {
    const query = restrictedQuery(plan, reader);
    if (query === null) return cutAppliedQuery(plan, toCollectionQuery(plan), { items: [], count: 0 });
    return chain(handlers.applyQuery(query, context), (answer) => cutAppliedQuery(plan, query, answeredValue(answer)));
  }
  const own: Reader = entitySet === null ? { context, gate: null } : reader;
  const set = entitySet ?? plan.query.shape.entitySet;
  const { search: clause } = plan.query;
  if (clause !== null && handlers.search !== undefined) {
    const found = runSearch({ search: handlers.search, clause }, set, own);
    return chain(found, (all) => readSearch(all, plan, reader));
  }
  if ((plan.form === "queryable" || plan.form === "related") && handlers.queryable !== undefined) {
    return chain(openSource(plan, handlers.queryable, own), (source) => readSource(source, plan, reader));
  }
  if (handlers.getAll === undefined) throw new Error("A collection without a read handler has no route.");
  return chain(readAll(set, handlers.getAll, own), (rows) => readRows(rows, plan, reader));
}

/** Returns the query for `applyQuery` with the row rules in it; null where the user sees no row. */
function restrictedQuery(plan: CollectionPlan, reader: Reader): CollectionQuery | null {
  const query = toCollectionQuery(plan);
  if (reader.gate === null) return query;
  return restrictQuery(query, plan.query.shape.entitySet, conditionsFor(reader), serviceOf(reader.context));
}

/** Reads the results of a search, a source or rows, in place of the whole set. */
function readSearch(
  found: QueryableSource | Iterable<unknown>,
  plan: CollectionPlan,
  reader: Reader,
): Maybe<CollectionResult> {
  if (isSource(found)) return readSource(found, plan, reader);
  // The results may be iterable only once, and a separate count reads them again.
  return readRows(plan.keyset === null ? found : [...found], plan, reader);
}

function readRows(rows: Iterable<unknown>, plan: CollectionPlan, reader: Reader): Maybe<CollectionResult> {
  const query = toSourceQuery(plan, reader, null);
  const page = readCounted(plan, query, (each) => applyInMemory(rows, each, reader));
  return chain(page, (read) => cutPage(plan, read, NO_JOINS));
}

function readSource(source: QueryableSource, plan: CollectionPlan, reader: Reader): Maybe<CollectionResult> {
  if (!isSource(source)) {
    throw new TypeError("The queryable handler did not return a source: return arraySource(…) or another source.");
  }
  // The rows of a navigation between tables are read by its join, and no other joins are possible.
  const joinable = plan.form === "related" ? null : plan.expand;
  return chain(chooseJoins(joinable, source, reader), (chosen) => {
    const query = toSourceQuery(plan, reader, chosen);
    const page = readCounted(plan, query, (each) => readFrom(source, each, reader));
    return chain(page, (read) => cutPage(plan, read, chosen.joined));
  });
}

function toSourceQuery(plan: CollectionPlan, { context }: Reader, chosen: ChosenJoins | null): SourceQuery {
  const { query } = plan;
  return {
    shape: query.shape,
    values: plan.keyset?.seek?.values ?? query.values,
    selected: plan.selected,
    filter: plan.keyset?.seek?.filter ?? query.shape.filter,
    orderBy: plan.orderBy,
    skip: plan.skip,
    top: plan.page.readSize,
    count: query.count,
    joined: chosen?.joined.navigations,
    sources: chosen?.sources,
    json: plan.json,
    transaction: context.transaction,
    timeout: timeoutOf(context),
    // A getter, because making a signal is expensive and most sources never read it.
    get signal(): AbortSignal {
      return context.signal;
    },
  };
}

function cutPage(plan: CollectionPlan, page: Page, joined: JoinedSteps): CollectionResult {
  if (page.json !== undefined) return cutJson(plan, page);
  const { size, linked } = plan.page;
  const hasMore = size !== undefined && page.entities.length > size;
  return {
    entities: hasMore ? page.entities.slice(0, size) : page.entities,
    rowShape: page.rowShape,
    count: plan.query.count ? countOf(plan, page.count) : undefined,
    hasMore: hasMore && linked,
    nextLink: undefined,
    joined,
    last: hasMore && linked ? readLastRow(plan, page.entities[size - 1], page.rowShape) : undefined,
  };
}

function cutJson(plan: CollectionPlan, { entities, json, count }: JsonPage): CollectionResult {
  const { size, linked } = plan.page;
  // A page is read with one more entity at most.
  const hasMore = size !== undefined && json.length > size;
  const { bytes, length, lastStart } = json;
  return {
    entities,
    rowShape: undefined,
    json: hasMore ? { bytes: bytes.subarray(0, Math.max(lastStart - 1, 0)), length: length - 1, lastStart: 0 } : json,
    count: plan.query.count ? countOf(plan, count) : undefined,
    hasMore: hasMore && linked,
    nextLink: undefined,
    joined: NO_JOINS,
  };
}

/** Returns the count, which a plan may want without the skipped rows. @see docs/reference/navigation.md */
function countOf({ countsAfterSkip, skip }: CollectionPlan, count: Page["count"]): Page["count"] {
  if (!countsAfterSkip || count === undefined) return count;
  const rest = BigInt(count) - BigInt(skip);
  return rest > 0n ? rest : 0n;
}

/**
 * Makes the page of a set that applied the query itself. The next link of the handler takes priority. Without one, and
 * without `$top`, the items are cut to the page size, and more items or a greater total lead to a next link.
 * @see OData Protocol 4.0, section 11.2.5.7
 */
function cutAppliedQuery(plan: CollectionPlan, query: CollectionQuery, answer: AppliedQuery): CollectionResult {
  if (typeof answer !== "object" || answer === null || !isIterable(answer.items)) {
    const isLate = isPromiseLike((answer as Partial<AppliedQuery> | null | undefined)?.items);
    const fix = isLate ? "its `items` is a promise: await it." : "return its page as an array or iterable.";
    throw new TypeError(`The applyQuery handler did not return { items }: ${fix}`);
  }
  const given: readonly unknown[] = Array.isArray(answer.items) ? answer.items : [...answer.items];
  const items = withoutPromises(given, "The applyQuery handler");
  const nextLink = answer.nextLink ?? undefined;
  // Both are written to the envelope unchanged, so JavaScript handlers must not return other types.
  if (nextLink !== undefined && typeof nextLink !== "string") {
    throw new TypeError("nextLink of applyQuery is not a string.");
  }
  if (!isCount(answer.count ?? 0)) throw new TypeError("count of applyQuery is not a whole number of 0 or more.");
  const capped = nextLink === undefined && plan.page.linked && query.pageSize !== null;
  const entities = capped ? items.slice(0, query.pageSize ?? undefined) : items;
  return {
    entities,
    rowShape: undefined,
    count: plan.query.count ? (answer.count ?? entities.length) : undefined,
    hasMore: capped && (items.length > entities.length || countsMore(answer, plan.skip + entities.length, entities)),
    nextLink,
    joined: NO_JOINS,
  };
}

/** Whether the total exceeds the entities read so far. An empty page has no next link: it would lead to itself. */
function countsMore({ count }: AppliedQuery, read: number, entities: readonly unknown[]): boolean {
  return entities.length > 0 && count !== undefined && count > read;
}

function isCount(value: unknown): boolean {
  return typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && Number(value) >= 0;
}

function tooManyEntities(maxEntities: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The response would contain more than ${String(maxEntities)} entities: narrow it with $filter, or page through it with $top and $skip.`,
    { target: "$top" },
  );
}
