import { protocolError, tooManyBytes, type ODataError } from "../../base/errors/odata-error.ts";
import { withSignalOf } from "../../base/later.ts";
import { callerOf, readingOf } from "../../definition/context.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { JsonMembers, Page, ReadState, SourceQuery, SourcesBySet } from "../../language/query/source.ts";
import { type CollectionResult, countOf, cutPage, sizeOf } from "../entities/handler-answer.ts";
import { type Reader, serviceOf, timeoutOf } from "../entities/reader.ts";
import type { JoinedSteps } from "../plan/join-expansions.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import type { ChosenJoins } from "./choose-joins.ts";
import { boundsOf, lastFinder } from "./page-bounds.ts";

/** A page that its source may write as JSON, expansions included. */
export interface ChosenJson {
  readonly json: JsonMembers;
  /** The sources of all expansions, and of the sets that their expressions mention; undefined without expansions. */
  readonly sources: SourcesBySet | undefined;
}

/** The properties of a source that its query depends on. */
interface QueriedSource {
  /** Whether it returns rows of a database. */
  readonly isRow: boolean;
  readonly chosen?: ChosenJoins;
  readonly written?: ChosenJson | null;
  /** The sources of the sets that the query mentions; absent: unknown, or none. */
  readonly sources?: SourcesBySet;
  /** The properties to read; absent: those of the plan. */
  readonly selected?: readonly SelectedProperty[] | undefined;
  /** The state that the read shares with the evaluation of its rows; absent: rows are not evaluated. */
  readonly state?: ReadState | undefined;
}

/** Makes the query of a page to its source. */
export function toSourceQuery(plan: CollectionPlan, { context, bytes }: Reader, source: QueriedSource): SourceQuery {
  const { query } = plan;
  const { chosen, written } = source;
  const sought: Omit<SourceQuery, "signal"> = {
    shape: query.shape,
    values: query.values,
    selected: source.selected ?? plan.selected,
    filter: query.shape.filter,
    orderBy: plan.orderBy,
    ...boundsOf(plan, source.isRow),
    top: plan.page.readSize,
    ...(source.isRow && plan.page.linked ? { shown: plan.page.size } : {}),
    count: query.count,
    joined: chosen?.joined.navigations,
    sources: written?.sources ?? source.sources ?? chosen?.sources,
    json: written?.json,
    idStart: plan.idStart,
    state: source.state,
    maxEntities: serviceOf(context).limits.maxResponseEntities,
    transaction: context.transaction,
    reading: readingOf(context),
    caller: callerOf(context),
    timeout: timeoutOf(context),
    bytes,
  };
  return withSignalOf(sought, context);
}

/** Cuts a page to its size. @throws ODataError if its first entity is too large */
export function toResult(plan: CollectionPlan, page: Page, joined: JoinedSteps): CollectionResult {
  const { size, linked } = plan.page;
  const isLonger = size !== undefined && sizeOf(page) > size;
  const isCut = page.isCut === true;
  if (isCut && sizeOf(page) === 0) throw tooManyBytes("The first entity");
  const hasMore = isCut || (isLonger && linked);
  // JSON is read with one more entity at most.
  const cut = isLonger ? cutPage(page, size) : page;
  const { entities, rowShape, json } = cut;
  return {
    entities,
    rowShape,
    json,
    count: plan.query.count ? countOf(plan, page.count) : undefined,
    hasMore,
    nextLink: undefined,
    joined,
    lastAt: lastFinder(plan, cut),
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
