import { chain, type Maybe, recover } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { CollectionQuery, EntitySetHandlers } from "../../definition/handlers.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { BoundQuery } from "../../language/query/clauses.ts";
import { mentionsOf } from "../../language/query/mentions.ts";
import type { QueryableSource, JsonMembers, RelationalSource, SourcesBySet } from "../../language/query/source.ts";
import { type CollectionResult, sizeOf, answeredValue, isAsyncIterable, isSource } from "../entities/handler-answer.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { isShaped } from "../plan/apply-shapes.ts";
import { findUnjoined, NO_JOINS } from "../plan/join-expansions.ts";
import { toCollectionQuery, type CollectionPlan, planCount, type ReadForm } from "../plan/plan-collection.ts";
import { setsOfJson } from "../plan/plan-json.ts";
import { restrictQuery } from "../plan/row-rules.ts";
import { conditionsFor, ServiceContext } from "../rules/row-access.ts";
import { appliedPage } from "./applied-page.ts";
import { chooseJoins } from "./choose-joins.ts";
import { keepAll, readAll, readStream } from "./open-set.ts";
import { type ChosenJson, toResult, toSourceQuery, tooManyEntities } from "./page-query.ts";
import { canFilterInOrder, iterableRead, readIterable } from "./read-iterable.ts";
import { Application, applyInMemory, openSource, readFrom } from "./read-source.ts";
import { resolveSources } from "./resolve-sources.ts";
import { applyToRows, applyToSource, completeResult } from "./run-apply.ts";
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
  return chain(readPage(plan, rows, reader), (result) => checkSize(result, maxEntities));
}

function checkSize(result: CollectionResult, maxEntities: number | null): CollectionResult {
  const size = (result.further ?? []).reduce((sum, part) => sum + sizeOf(part), sizeOf(result));
  if (maxEntities !== null && size > maxEntities) throw tooManyEntities(maxEntities);
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
): Maybe<CollectionResult> {
  const set = entitySet ?? plan.query.shape.entitySet;
  if (plan.form === "apply-query" && handlers.applyQuery !== undefined) {
    const context = ServiceContext.ofSet(set, reader.context);
    const { applyQuery } = handlers;
    return readApplied((query) => applyQuery(query, context), plan, reader);
  }
  const own: Reader = entitySet === null ? { context: reader.context, gate: null } : reader;
  const { search: clause } = plan.query;
  if (clause !== null && handlers.search !== undefined) {
    const found = runSearch({ search: handlers.search, clause }, set, own);
    return chain(found, (all) => readSearch(all, plan, reader));
  }
  if ((plan.form === "queryable" || plan.form === "related") && handlers.queryable !== undefined) {
    return chain(openSource(plan, handlers.queryable, own), (source) => readSource(source, plan, reader));
  }
  if (handlers.getAll === undefined) throw new Error("A collection without a read handler has no route.");
  const read = (entities: Maybe<Iterable<unknown>>): Maybe<CollectionResult> =>
    chain(entities, (all) => readRows(all, plan, reader));
  const { readSize } = plan.page;
  // Rows that $apply makes, and computed values, are those of a whole set.
  if (readSize === undefined || isShaped(plan.query.shape) || !canFilterInOrder(plan, set, own)) {
    return read(readAll(set, handlers.getAll, own));
  }
  return chain(readStream(set, handlers.getAll, own), (entities) => {
    if (!isAsyncIterable(entities)) return read(keepAll(set, entities, own));
    return chain(readIterable(entities, iterableRead(plan, readSize, set, own)), (page) =>
      toResult(plan, { entities: page }, NO_JOINS),
    );
  });
}

/** Reads the page of a set that applies the query itself. The service adds the computed values. */
function readApplied(
  call: (query: CollectionQuery) => ReturnType<NonNullable<EntitySetHandlers<Context>["applyQuery"]>>,
  plan: CollectionPlan,
  reader: Reader,
): Maybe<CollectionResult> {
  const { shape, values } = plan.query;
  const query = restrictedQuery(plan, reader);
  const started = (): Application => new Application(new Evaluation(values), reader);
  // Without visible rows, an aggregate still is a row.
  if (query === null && shape.apply !== undefined) return applyToRows([], plan, started());
  if (query === null) return appliedPage(plan, { items: [], count: 0 }, reader);
  return chain(call(query), (answer) =>
    chain(appliedPage(plan, answeredValue(answer), reader), (page) =>
      isShaped(shape) ? completeResult(page, shape, started()) : page,
    ),
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
): Maybe<CollectionResult> {
  return isSource(found) ? readSource(found, plan, reader) : readRows(found, plan, reader);
}

function readRows(rows: Iterable<unknown>, plan: CollectionPlan, reader: Reader): Maybe<CollectionResult> {
  const { shape, values } = plan.query;
  if (isShaped(shape)) return applyToRows(rows, plan, new Application(new Evaluation(values), reader));
  const query = toSourceQuery(plan, reader, { isRow: false });
  return chain(applyInMemory(rows, query, reader), (page) => toResult(plan, page, NO_JOINS));
}

function readSource(source: QueryableSource, plan: CollectionPlan, reader: Reader): Maybe<CollectionResult> {
  if (!isSource(source)) {
    throw new TypeError("The queryable handler did not return a source: return arraySource(…) or another source.");
  }
  if (isShaped(plan.query.shape)) return applyToSource(source, plan, reader);
  // The rows of a navigation between tables are read by its join, and no other joins are possible.
  const joinable = plan.form === "related" ? null : plan.expand;
  const json = joinable === plan.expand ? plan.json : undefined;
  return chain(chooseJoins(joinable, source, reader), (chosen) =>
    chain(chooseJson(json, source, reader), (written) => {
      const query = toSourceQuery(plan, reader, { isRow: source.relational !== undefined, chosen, written });
      return chain(readFrom(source, query, reader), (page) => toResult(plan, page, chosen.joined));
    }),
  );
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
