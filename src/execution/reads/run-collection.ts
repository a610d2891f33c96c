import { chain, type Maybe, isPromiseLike, recover } from "../../base/maybe.ts";
import { type Context, callerOf, readingOf } from "../../definition/context.ts";
import type { CollectionQuery, EntitySetHandlers, AppliedQuery } from "../../definition/handlers.ts";
import type { EntitySet } from "../../edm/model.ts";
import { protocolError, type ODataError } from "../../errors/odata-error.ts";
import { type JoinedSteps, NO_JOINS, findUnjoined } from "../../plan/join-expansions.ts";
import { toCollectionQuery, type CollectionPlan, planCount, type ReadForm } from "../../plan/plan-collection.ts";
import { setsOfJson } from "../../plan/plan-json.ts";
import { mayBeLong } from "../../plan/plan-paging.ts";
import { restrictQuery } from "../../plan/row-rules.ts";
import type { BoundQuery } from "../../query/clauses.ts";
import { mentionsOf } from "../../query/mentions.ts";
import type {
  Page,
  QueryableSource,
  SourceQuery,
  JsonMembers,
  RelationalSource,
  SourcesBySet,
} from "../../query/source.ts";
import {
  type CollectionResult,
  countOf,
  cutPage,
  sizeOf,
  answeredValue,
  isAsyncIterable,
  isSource,
  collectEntities,
  isIterable,
  withoutPromises,
} from "../entities/handler-answer.ts";
import { type Reader, serviceOf, timeoutOf } from "../entities/reader.ts";
import { conditionsFor, ServiceContext } from "../rules/row-access.ts";
import { chooseJoins, type ChosenJoins } from "./choose-joins.ts";
import {
  CollectionStream,
  canFilterInOrder,
  streamAll,
  streamSource,
  boundsOf,
  lastRowOf,
  countsMore,
  HandlerStream,
} from "./collection-stream.ts";
import { keepAll, readAll, readStream } from "./open-set.ts";
import { applyInMemory, openSource, readFrom } from "./read-source.ts";
import { resolveSources } from "./resolve-sources.ts";
import { runSearch } from "./search-related.ts";

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
  return chain(readPage(plan, rows, reader, false), (result) => {
    if (result instanceof CollectionStream) throw new Error("A page that must be read at once is streamed.");
    return checkSize(result, maxEntities);
  });
}

/**
 * As `runCollection`. A page that may be long is read in parts if its source can do so. A page of an async iterable is
 * read in parts if nothing needs all entities: then no more are read than the page contains.
 * @throws as `runCollection`; reading the parts throws further errors
 */
export function openCollection(
  plan: CollectionPlan,
  rows: CollectionRows,
  reader: Reader,
  maxEntities: number | null,
): Maybe<CollectionResult | CollectionStream> {
  return chain(readPage(plan, rows, reader, true), (result) =>
    result instanceof CollectionStream ? result : checkSize(result, maxEntities),
  );
}

function checkSize(result: CollectionResult, maxEntities: number | null): CollectionResult {
  if (maxEntities !== null && sizeOf(result) > maxEntities) throw tooManyEntities(maxEntities);
  return result;
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
  isOpen: boolean,
): Maybe<CollectionResult | CollectionStream> {
  const mayStream = isOpen && mayBeLong(plan.page);
  const set = entitySet ?? plan.query.shape.entitySet;
  if (plan.form === "apply-query" && handlers.applyQuery !== undefined) {
    const query = restrictedQuery(plan, reader);
    const none = { items: [], count: 0 };
    if (query === null) return appliedPage(plan, toCollectionQuery(plan), none, { reader, mayStream: false });
    const context = ServiceContext.ofSet(set, reader.context);
    return chain(handlers.applyQuery(query, context), (answer) =>
      // The handlers of a short page's expansions are called once, with all its entities.
      appliedPage(plan, query, answeredValue(answer), {
        reader,
        mayStream: mayStream || (isOpen && plan.expand === null),
      }),
    );
  }
  const own: Reader = entitySet === null ? { context: reader.context, gate: null } : reader;
  const { search: clause } = plan.query;
  if (clause !== null && handlers.search !== undefined) {
    const found = runSearch({ search: handlers.search, clause }, set, own);
    return chain(found, (all) => readSearch(all, plan, reader, mayStream));
  }
  if ((plan.form === "queryable" || plan.form === "related") && handlers.queryable !== undefined) {
    return chain(openSource(plan, handlers.queryable, own), (source) => readSource(source, plan, reader, mayStream));
  }
  if (handlers.getAll === undefined) throw new Error("A collection without a read handler has no route.");
  const read = (entities: Maybe<Iterable<unknown>>): Maybe<CollectionResult> =>
    chain(entities, (all) => readRows(all, plan, reader));
  if (!isOpen || !canFilterInOrder(plan, set, own)) return read(readAll(set, handlers.getAll, own));
  return chain(readStream(set, handlers.getAll, own), (entities) =>
    isAsyncIterable(entities) ? streamAll(entities, plan, set, own) : read(keepAll(set, entities, own)),
  );
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
  mayStream: boolean,
): Maybe<CollectionResult | CollectionStream> {
  return isSource(found) ? readSource(found, plan, reader, mayStream) : readRows(found, plan, reader);
}

function readRows(rows: Iterable<unknown>, plan: CollectionPlan, reader: Reader): Maybe<CollectionResult> {
  const query = toSourceQuery(plan, reader, { isRow: false });
  return chain(applyInMemory(rows, query, reader), (page) => toResult(plan, page, NO_JOINS));
}

function readSource(
  source: QueryableSource,
  plan: CollectionPlan,
  reader: Reader,
  mayStream: boolean,
): Maybe<CollectionResult | CollectionStream> {
  if (!isSource(source)) {
    throw new TypeError("The queryable handler did not return a source: return arraySource(…) or another source.");
  }
  // The rows of a navigation between tables are read by its join, and no other joins are possible.
  const joinable = plan.form === "related" ? null : plan.expand;
  const json = joinable === plan.expand ? plan.json : undefined;
  return chain(chooseJoins(joinable, source, reader), (chosen) =>
    chain(chooseJson(json, source, reader), (written) => {
      const query = toSourceQuery(plan, reader, { isRow: source.relational !== undefined, chosen, written });
      const stream = mayStream ? streamSource(source, plan, { query, joined: chosen.joined, reader }) : null;
      return chain(stream, (opened) => {
        if (opened !== null) return opened;
        return chain(readFrom(source, query, reader), (page) => toResult(plan, page, chosen.joined));
      });
    }),
  );
}

/** The properties of a source that its query depends on. */
interface QueriedSource {
  /** Whether it returns rows of a database. */
  readonly isRow: boolean;
  readonly chosen?: ChosenJoins;
  readonly written?: ChosenJson | null;
}

function toSourceQuery(plan: CollectionPlan, { context }: Reader, source: QueriedSource): SourceQuery {
  const { query } = plan;
  const { chosen, written } = source;
  return {
    shape: query.shape,
    values: query.values,
    selected: plan.selected,
    filter: query.shape.filter,
    orderBy: plan.orderBy,
    ...boundsOf(plan, source.isRow),
    top: plan.page.readSize,
    count: query.count,
    joined: chosen?.joined.navigations,
    sources: written?.sources ?? chosen?.sources,
    json: written?.json,
    idStart: plan.idStart,
    maxEntities: serviceOf(context).limits.maxResponseEntities,
    transaction: context.transaction,
    reading: readingOf(context),
    caller: callerOf(context),
    timeout: timeoutOf(context),
    // A getter, because making a signal is expensive and most sources never read it.
    get signal(): AbortSignal {
      return context.signal;
    },
  };
}

function toResult(plan: CollectionPlan, page: Page, joined: JoinedSteps): CollectionResult {
  const { size, linked } = plan.page;
  const hasMore = size !== undefined && sizeOf(page) > size;
  // JSON is read with one more entity at most.
  const cut = hasMore ? cutPage(page, size) : page;
  const last = hasMore && linked ? lastRowOf(plan, cut) : undefined;
  const { entities, rowShape, json } = cut;
  return {
    entities,
    rowShape,
    json,
    count: plan.query.count ? countOf(plan, page.count) : undefined,
    hasMore: hasMore && linked,
    nextLink: undefined,
    joined,
    last,
  };
}

/** Returns the error of a response with more entities than `maxResponseEntities`. */
export function tooManyEntities(maxEntities: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The response would contain more than ${String(maxEntities)} entities: narrow it with $filter, or page through it with $top and $skip.`,
    { target: "$top" },
  );
}

/** The result of an `applyQuery` handler, checked. */
interface AppliedPage extends Omit<AppliedQuery, "nextLink"> {
  readonly nextLink: string | undefined;
  /** The page size to which the service cuts the items; undefined: the handler has cut them. */
  readonly size: number | undefined;
}

/** How the items are read. */
interface AppliedRead {
  readonly reader: Reader;
  /** Whether the response may contain items before all of them are read. */
  readonly mayStream: boolean;
}

/**
 * Makes the page of a set that applied the query itself. The next link of the handler takes priority. Without one, and
 * without `$top`, the items are cut to the page size, and more items or a greater total lead to a next link.
 * @throws TypeError for an invalid result; as for `collectEntities`
 * @see OData Protocol 4.0, section 11.2.5.7
 */
function appliedPage(
  plan: CollectionPlan,
  query: CollectionQuery,
  answer: AppliedQuery,
  { reader, mayStream }: AppliedRead,
): Maybe<CollectionResult | CollectionStream> {
  const applied = checkApplied(plan, query, answer);
  const { items, count } = applied;
  const isCountKnown = !plan.query.count || count !== undefined;
  if (mayStream && isCountKnown && isAsyncIterable(items)) return streamItems(plan, applied, items, reader);
  const all = collectEntities(items, "The applyQuery handler", reader);
  return chain(all, (each) => cutItems(plan, applied, Array.isArray(each) ? each : [...each]));
}

function checkApplied(plan: CollectionPlan, query: CollectionQuery, answer: AppliedQuery): AppliedPage {
  // JavaScript handlers may return anything.
  const items: unknown = (answer as Partial<AppliedQuery> | null | undefined)?.items;
  if (!isIterable(items) && !isAsyncIterable(items)) {
    const fix = isPromiseLike(items)
      ? "its `items` is a promise: await it."
      : "return its page as an array or iterable.";
    throw new TypeError(`The applyQuery handler did not return { items }: ${fix}`);
  }
  const nextLink = answer.nextLink ?? undefined;
  // Both are written to the envelope unchanged.
  if (nextLink !== undefined && typeof nextLink !== "string") {
    throw new TypeError("nextLink of applyQuery is not a string.");
  }
  if (!isCount(answer.count ?? 0)) throw new TypeError("count of applyQuery is not a whole number of 0 or more.");
  const size = nextLink === undefined && plan.page.linked ? (query.pageSize ?? undefined) : undefined;
  return { items, count: answer.count ?? undefined, nextLink, size };
}

function cutItems(
  plan: CollectionPlan,
  { nextLink, size, count }: AppliedPage,
  given: readonly unknown[],
): CollectionResult {
  const items = withoutPromises(given, "The applyQuery handler");
  const entities = size === undefined ? items : items.slice(0, size);
  const { length } = entities;
  const hasMore = size !== undefined && (items.length > length || countsMore(count, plan.skip, length));
  return {
    entities,
    rowShape: undefined,
    count: plan.query.count ? (count ?? length) : undefined,
    hasMore,
    nextLink,
    joined: NO_JOINS,
  };
}

function streamItems(
  plan: CollectionPlan,
  { nextLink, size, count }: AppliedPage,
  items: AsyncIterable<unknown>,
  reader: Reader,
): CollectionStream {
  const readSize = size === undefined ? undefined : size + 1;
  const page = { ...plan.page, size, readSize, linked: size !== undefined };
  const query = { shape: plan.query.shape, values: [], filter: null, skip: 0, top: readSize };
  const stream = new HandlerStream(items, { query, ruled: null, reader });
  return new CollectionStream({ ...plan, page }, stream, { joined: NO_JOINS, total: null, count, nextLink });
}

function isCount(value: unknown): boolean {
  return typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && Number(value) >= 0;
}

/** A page that its source may write as JSON, expansions included. */
interface ChosenJson {
  readonly json: JsonMembers;
  /** The sources of all expansions, and of the sets that their expressions mention; undefined without expansions. */
  readonly sources: SourcesBySet | undefined;
}

/**
 * Returns whether one statement can write the entities of a page with all expansions as JSON.
 * @param json the members of the entities; undefined if the response needs rows
 * @returns null if not. An error, such as that of a `queryable` handler, is left to the read of the rows, which may not need
 *   that set.
 */
function chooseJson(
  json: JsonMembers | undefined,
  { relational }: QueryableSource,
  reader: Reader,
): Maybe<ChosenJson | null> {
  if (json === undefined) return null;
  if (json.expanded.length === 0) return { json, sources: undefined };
  if (relational === undefined || (relational.joinsExpansions ?? true) !== true) return null;
  return recover(
    () =>
      chain(resolveSources(setsOfJson(json), reader), (sources) =>
        canJoin(json, relational, sources) ? { json, sources } : null,
      ),
    () => null,
  );
}

function canJoin({ expanded }: JsonMembers, relational: RelationalSource, sources: SourcesBySet): boolean {
  return expanded.every(({ target, expansion, members }) => {
    const source = sources.get(target);
    if (source === undefined || !relational.joins(source)) return false;
    const mentions = mentionsOf(expansion);
    const isJoined = mentions === null || findUnjoined({ mentions, relational, sources }) === null;
    return isJoined && (members === null || canJoin(members, relational, sources));
  });
}
