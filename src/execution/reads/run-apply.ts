import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { tooManyBytes } from "../../errors/odata-error.ts";
import { Evaluation } from "../../memory/evaluation.ts";
import { branchShapes, withComputedColumns } from "../../plan/apply-shapes.ts";
import { findUnjoined, NO_JOINS } from "../../plan/join-expansions.ts";
import type { CollectionPlan } from "../../plan/plan-collection.ts";
import { totalOrderOf } from "../../plan/total-order.ts";
import type { ApplyStep, QueryShape, SelectedProperty } from "../../query/clauses.ts";
import { mentionsOf } from "../../query/mentions.ts";
import type { Page, QueryableSource, ReadsScope, SourceQuery, SourcesBySet } from "../../query/source.ts";
import { wholeEntity } from "../entities/canonical-entity.ts";
import type { CollectionPart, CollectionResult } from "../entities/handler-answer.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { boundsOf } from "./collection-stream.ts";
import { type BranchPart, joinBranches, inOrder } from "./join-branches.ts";
import { tooManyEntities, toResult, toSourceQuery } from "./page-query.ts";
import { objectsOf, readInput } from "./read-input.ts";
import { Application, applyTo, readFrom } from "./read-source.ts";
import { resolveSources } from "./resolve-sources.ts";
import { passBudget, runStep } from "./run-step.ts";
import { withFittingComputed } from "./with-computed.ts";

/**
 * Reads the page of a query with `$apply` or computed values from a source. A database evaluates them if it can. Otherwise
 * the entities that meet the first conditions are read, and the other steps are applied in memory.
 * @throws as for applyToRows and readFrom; ODataError `InvalidQueryOption` for more entities than `maxIterableEntities`
 */
export function applyToSource(source: QueryableSource, plan: CollectionPlan, reader: Reader): Maybe<CollectionResult> {
  const application = new Application(new Evaluation(plan.query.values), reader);
  if (source.entities !== undefined) return applyToRows(source.entities(), plan, application);
  return chain(evaluatingSources(source, plan.query.shape, reader), (sources) => {
    const bounded = boundedPlan(plan, reader);
    if (sources !== null) return readBranches(source, bounded, sources, application);
    if (plan.query.shape.apply === undefined) return readAndCompute(source, bounded, application);
    return chain(readInput(source, plan, application), ({ rows, first }) =>
      applyToRows(rows, plan, application, first),
    );
  });
}

/** Limits a page to one row more than a response may contain: it is read before it is written. */
function boundedPlan(plan: CollectionPlan, { context }: Reader): CollectionPlan {
  const limit = serviceOf(context).limits.maxResponseEntities;
  const { readSize = Infinity } = plan.page;
  return limit === null || readSize <= limit ? plan : { ...plan, page: { ...plan.page, readSize: limit + 1 } };
}

/** Reads a page of whole entities from a source, and adds the computed values. */
function readAndCompute(
  source: QueryableSource,
  plan: CollectionPlan,
  application: Application,
): Maybe<CollectionResult> {
  const { shape } = plan.query;
  const { reader, evaluation, turn } = application;
  const isRow = source.relational !== undefined;
  const query = toSourceQuery(plan, reader, { isRow, selected: wholeEntity(shape.entitySet), state: evaluation });
  return chain(readFrom(source, query, reader), (page) => {
    const result = toResult(plan, page, NO_JOINS);
    return chain(objectsOf(result, turn), (entities) =>
      completeResult({ ...result, entities, rowShape: undefined }, shape, application),
    );
  });
}

/**
 * Returns the sources of the sets that a shape mentions, if one statement of a source evaluates `$apply` and the computed
 * values of the shape.
 * @returns null if they are evaluated in memory
 */
function evaluatingSources(
  { relational }: QueryableSource,
  shape: QueryShape,
  reader: Reader,
): Maybe<SourcesBySet | null> {
  const { applies } = relational ?? {};
  if (applies === undefined) return null;
  const mentions = mentionsOf(shape);
  return chain(resolveSources(mentions?.entitySets ?? [], reader), (sources) => {
    const isJoined = mentions === null || findUnjoined({ mentions, relational, sources }) === null;
    return isJoined && branchShapes(shape).every((each) => applies(each, sources)) ? sources : null;
  });
}

/** Reads all branches from a source that evaluates their steps. */
function readBranches(
  source: QueryableSource,
  plan: CollectionPlan,
  sources: SourcesBySet,
  application: Application,
): Maybe<CollectionResult> {
  const { reader, evaluation } = application;
  const shapes = branchShapes(plan.query.shape);
  const settings = { isRow: true, sources, state: evaluation };
  const { inOneState = justRead } = source.relational ?? {};
  if (shapes.length === 1) {
    const query = toSourceQuery(plan, reader, {
      ...settings,
      selected: withComputedColumns(plan.query.shape.selectExpand, plan.selected),
    });
    const page = inOneState([query], (scope) => source.read(within(query, scope)));
    return chain(page, (read) => toResult(plan, read, NO_JOINS));
  }
  const queryOf = (shape: QueryShape, most: number | undefined): SourceQuery =>
    toSourceQuery(branchPlan(plan, shape, most), reader, { ...settings, selected: columnsOf(shape) });
  const most = mostOfBranches(plan, reader);
  const queries = shapes.map((shape) => queryOf(shape, most));
  const pages = inOneState(queries, (scope) =>
    readInOrder(shapes, plan, reader, (shape, rows) => source.read(within(queryOf(shape, rows), scope))),
  );
  return chain(pages, (all) => {
    const parts = shapes.map((shape, index) => ({ shape, joined: NO_JOINS, ...pick(all[index]) }));
    return joinBranches(plan, parts, application);
  });
}

function justRead<T>(_queries: readonly SourceQuery[], read: (scope: null) => Maybe<T>): Maybe<T> {
  return read(null);
}

function within(query: SourceQuery, scope: ReadsScope | null): SourceQuery {
  return scope === null ? query : { ...query, ...scope };
}

/**
 * Reads the rows of the branches one after another. Together they are at most one more for each branch than a response may
 * contain: the next branches are not read.
 * @throws ODataError `InvalidQueryOption` for more rows than `maxResponseEntities`
 */
function readInOrder<Rows extends Pick<Page, "entities" | "isCut">>(
  shapes: readonly QueryShape[],
  plan: CollectionPlan,
  reader: Reader,
  read: (shape: QueryShape, most: number | undefined) => Maybe<Rows>,
): Maybe<readonly Rows[]> {
  const limit = serviceOf(reader.context).limits.maxResponseEntities;
  const most = mostOfBranches(plan, reader);
  let left = limit ?? Infinity;
  return inOrder(shapes, (shape) =>
    chain(read(shape, limit === null ? most : Math.min(most ?? Infinity, left + 1)), (rows) => {
      // No link continues several branches: each page reads those before it again.
      if (rows.isCut === true) throw tooManyBytes("A page of several branches");
      left -= rows.entities.length;
      if (limit !== null && left < 0) throw tooManyEntities(limit);
      return rows;
    }),
  );
}

/** Returns the properties of a branch: all, because options of the request may use those that it does not select. */
const columnsOf: (shape: QueryShape) => readonly SelectedProperty[] = keptPer(({ apply, entityType, entitySet }) => {
  const [branch] = apply?.branches ?? [];
  const whole =
    branch?.isTransformed === true ? entityType.properties.map((property) => ({ property })) : wholeEntity(entitySet);
  const computed = branch?.computed ?? [];
  return Object.freeze([
    ...whole,
    ...computed.map(({ property, expression }): SelectedProperty => ({ property, computed: expression })),
  ]);
});

function pick({ entities, rowShape }: Page = { entities: [] }): Pick<CollectionPart, "entities" | "rowShape"> {
  return { entities, rowShape };
}

/** Plans the read of one branch. */
function branchPlan(plan: CollectionPlan, shape: QueryShape, most: number | undefined): CollectionPlan {
  const page = { size: most, readSize: most, linked: false, appliedPageSize: undefined };
  const query = { ...plan.query, shape, count: false };
  return { ...plan, query, skip: 0, page, orderBy: totalOrderOf(shape), expand: null };
}

/** Returns the most rows that are read of one branch: those of the page, or one more than all branches may have together. */
function mostOfBranches({ query, page, skip }: CollectionPlan, { context }: Reader): number | undefined {
  const { filter, orderBy } = query.shape;
  const limit = serviceOf(context).limits.maxResponseEntities;
  const isWhole = filter !== null || orderBy.length > 0 || query.count || page.readSize === undefined;
  const all = limit === null ? undefined : limit + 1;
  return isWhole ? all : Math.min(skip + (page.readSize ?? 0), all ?? Infinity);
}

/**
 * Makes the page of a query with `$apply` or computed values from entities: applies the steps of each branch, then the other
 * options.
 * @param rows the visible entities of the set
 * @param first the number of steps of each branch that have been applied already
 * @throws ODataError `InvalidQueryOption` for too many groups, or visited rows; as for loadRelations
 * @see docs/reference/apply.md
 */
export function applyToRows(
  rows: Iterable<unknown>,
  plan: CollectionPlan,
  application: Application,
  first = 0,
): Maybe<CollectionResult> {
  const { shape } = plan.query;
  const shapes = branchShapes(shape);
  const pass = passBudget(application.reader, shape.entitySet.name);
  // Branches that begin with the same steps share their results.
  const known = new Map<ApplyStep, Maybe<Iterable<unknown>>>();
  const stepsOf = ({ apply }: QueryShape): readonly ApplyStep[] => apply?.branches[0].steps.slice(first) ?? [];
  const all = shapes.flatMap(stepsOf);
  const isShared = (step: ApplyStep): boolean => all.indexOf(step) < all.lastIndexOf(step);
  const rowsOf = (each: QueryShape): Maybe<Iterable<unknown>> =>
    stepsOf(each).reduce<Maybe<Iterable<unknown>>>((before, step) => {
      const run = (input: Iterable<unknown>): Maybe<Iterable<unknown>> =>
        runStep(pass(input), step, each.roundingMode, application);
      const found = known.get(step) ?? chain(before, run);
      if (isShared(step)) known.set(step, found);
      return found;
    }, rows);
  if (shapes.length === 1) {
    const { filter } = shape;
    const { orderBy, page } = plan;
    const query = { shape, filter, orderBy, ...boundsOf(plan, false), top: page.readSize, count: plan.query.count };
    return chain(rowsOf(shape), (made) =>
      chain(applyTo(made, query, application), (read) =>
        completeResult(toResult(plan, read, NO_JOINS), shape, application),
      ),
    );
  }
  const branches = readInOrder(shapes, plan, application.reader, (each, top) =>
    chain(rowsOf(each), (made) => readBranch(pass(made), each, top, application)),
  );
  return chain(branches, (parts) => joinBranches(plan, parts, application));
}

function readBranch(
  rows: Iterable<unknown>,
  shape: QueryShape,
  top: number | undefined,
  application: Application,
): Maybe<BranchPart> {
  const query = { shape, filter: null, orderBy: totalOrderOf(shape), skip: 0, top, count: false };
  return chain(applyTo(rows, query, application, "$apply"), ({ entities }) => ({
    shape,
    entities,
    rowShape: undefined,
    joined: NO_JOINS,
  }));
}

/** Adds the computed values to the objects of a page. @throws as for withComputed */
export function completeResult(
  result: CollectionResult,
  shape: QueryShape,
  application: Application,
): Maybe<CollectionResult> {
  return chain(withFittingComputed(result.entities, shape, application, "$compute"), (entities) => {
    if (entities.length === result.entities.length) return { ...result, entities };
    if (entities.length === 0 || result.nextLink !== undefined) throw tooManyBytes("The page");
    return { ...result, entities, hasMore: true };
  });
}
