import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { ApplyStep, QueryShape, SelectedProperty } from "../../language/query/clauses.ts";
import { isOfHierarchy } from "../../language/query/hierarchy-clauses.ts";
import { mentionsOf } from "../../language/query/mentions.ts";
import type { Page, QueryableSource, ReadsScope, SourceQuery, SourcesBySet } from "../../language/query/source.ts";
import { wholeEntity } from "../entities/canonical-entity.ts";
import type { CollectionPart, CollectionResult } from "../entities/handler-answer.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { branchShapes, concatStart, reachShape, stepShape, withComputedColumns } from "../plan/apply-shapes.ts";
import { findUnjoined, NO_JOINS } from "../plan/join-expansions.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import { wholePage } from "../plan/plan-paging.ts";
import { totalOrderOf } from "../plan/total-order.ts";
import { type BranchPart, joinBranches, inOrder, unitedRows } from "./join-branches.ts";
import { boundsOf } from "./page-bounds.ts";
import { tooManyEntities, toResult, toSourceQuery } from "./page-query.ts";
import { type Input, objectsOf, type ReachedNodes, readInput } from "./read-input.ts";
import { Application, applyTo, readFrom } from "./read-source.ts";
import { resolveSources } from "./resolve-sources.ts";
import { runHierarchy, type TreeReader, treeReader } from "./run-hierarchy.ts";
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
    return chain(readConcat(source, plan, application), (united) => {
      const input =
        united ?? chain(reached(source, plan, reader), (read) => readInput(source, plan, application, read));
      return chain(input, ({ rows, first }) => applyToRows(rows, plan, application, first));
    });
  });
}

/**
 * Reads the rows of a `concat` that further steps follow.
 * @returns null without one, and if the source does not evaluate it
 */
function readConcat(source: QueryableSource, plan: CollectionPlan, application: Application): Maybe<Input | null> {
  const { reader } = application;
  const start = concatStart(plan.query.shape);
  if (start === null) return null;
  const { shape, steps: first } = start;
  return chain(evaluatingSources(source, shape, reader), (sources) => {
    if (sources === null) return null;
    const page = wholePage(undefined);
    const whole = { ...plan, query: { ...plan.query, shape, count: false }, skip: 0, keyset: null, page };
    const parts = readParts(source, whole, sources, application);
    return chain(parts, (all) => chain(unitedRows(shape, all, application), (rows) => ({ rows, first })));
  });
}

/** Returns the nodes that the steps of a hierarchy need, if the source finds them; null: it reads all entities. */
function reached(source: QueryableSource, { query }: CollectionPlan, reader: Reader): Maybe<ReachedNodes | null> {
  const shape = reachShape(query.shape);
  if (shape === null) return null;
  return chain(evaluatingSources(source, shape, reader), (sources) => sources && { shape, sources });
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
  if (branchShapes(plan.query.shape).length > 1) {
    return chain(readParts(source, plan, sources, application), (parts) => joinBranches(plan, parts, application));
  }
  const { inOneState = justRead } = source.relational ?? {};
  const query = toSourceQuery(plan, reader, {
    isRow: true,
    sources,
    state: evaluation,
    selected: withComputedColumns(plan.query.shape.selectExpand, plan.selected),
  });
  const page = inOneState([query], (scope) => source.read(within(query, scope)));
  return chain(page, (read) => toResult(plan, read, NO_JOINS));
}

/** Reads the rows of several branches, in one state of the database. */
function readParts(
  source: QueryableSource,
  plan: CollectionPlan,
  sources: SourcesBySet,
  { reader, evaluation }: Application,
): Maybe<readonly BranchPart[]> {
  const shapes = branchShapes(plan.query.shape);
  const settings = { isRow: true, sources, state: evaluation };
  const { inOneState = justRead } = source.relational ?? {};
  const queryOf = (shape: QueryShape, most: number | undefined): SourceQuery =>
    toSourceQuery(branchPlan(plan, shape, most), reader, { ...settings, selected: columnsOf(shape) });
  const most = mostOfBranches(plan, reader);
  const queries = shapes.map((shape) => queryOf(shape, most));
  const pages = inOneState(queries, (scope) =>
    readInOrder(shapes, most, reader, (shape, rows) => source.read(within(queryOf(shape, rows), scope))),
  );
  return chain(pages, (all) => shapes.map((shape, index) => ({ shape, joined: NO_JOINS, ...pick(all[index]) })));
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
  most: number | undefined,
  reader: Reader,
  read: (shape: QueryShape, most: number | undefined) => Maybe<Rows>,
): Maybe<readonly Rows[]> {
  const limit = serviceOf(reader.context).limits.maxResponseEntities;
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

/** Returns the properties of a branch: all, because options of the request may use properties that the branch does not select. */
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
  const page = wholePage(most);
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
  const work: PipelineWork = { application, pass, treeOf: treeReader(rows, application) };
  if (shapes.length === 1) {
    const { filter } = shape;
    const { orderBy, page } = plan;
    const query = { shape, filter, orderBy, ...boundsOf(plan, false), top: page.readSize, count: plan.query.count };
    return chain(rowsAfter(rows, shapes, first, work)(shape), (made) =>
      chain(applyTo(made, query, application), (read) =>
        completeResult(toResult(plan, read, NO_JOINS), shape, application),
      ),
    );
  }
  const branches = branchParts(rows, shapes, first, mostOfBranches(plan, application.reader), work);
  return chain(branches, (parts) => joinBranches(plan, parts, application));
}

/** The state of all steps of a request in memory. */
interface PipelineWork {
  readonly application: Application;
  readonly pass: ReturnType<typeof passBudget>;
  /** Returns the tree of all rows of the set, which is made once. */
  readonly treeOf: TreeReader;
}

/** Returns a function that applies the steps of a branch. Branches that begin with the same steps share their results. */
function rowsAfter(
  rows: Iterable<unknown>,
  shapes: readonly QueryShape[],
  first: number,
  work: PipelineWork,
): (shape: QueryShape) => Maybe<Iterable<unknown>> {
  const known = new Map<ApplyStep, Maybe<Iterable<unknown>>>();
  const stepsOf = ({ apply }: QueryShape): readonly ApplyStep[] => apply?.branches[0].steps.slice(first) ?? [];
  const all = shapes.flatMap(stepsOf);
  const isShared = (step: ApplyStep): boolean => all.indexOf(step) < all.lastIndexOf(step);
  return (shape) =>
    stepsOf(shape).reduce<Maybe<Iterable<unknown>>>((before, step) => {
      const found = known.get(step) ?? chain(before, (input) => applyStep(input, step, shape, work));
      if (isShared(step)) known.set(step, found);
      return found;
    }, rows);
}

function applyStep(
  rows: Iterable<unknown>,
  step: ApplyStep,
  shape: QueryShape,
  work: PipelineWork,
): Maybe<Iterable<unknown>> {
  const { application, pass, treeOf } = work;
  if (isOfHierarchy(step)) return runHierarchy(pass(rows), step, treeOf, shape.roundingMode, application);
  if (step.kind === "reach") throw new Error("Only a source reaches nodes.");
  if (step.kind !== "concat") return runStep(pass(rows), step, shape.roundingMode, application);
  const united = stepShape(step, shape);
  const parts = branchParts(rows, branchShapes(united), 0, undefined, work);
  return chain(parts, (all) => unitedRows(united, all, application));
}

function branchParts(
  rows: Iterable<unknown>,
  shapes: readonly QueryShape[],
  first: number,
  most: number | undefined,
  work: PipelineWork,
): Maybe<readonly BranchPart[]> {
  const { application, pass } = work;
  const rowsOf = rowsAfter(rows, shapes, first, work);
  return readInOrder(shapes, most, application.reader, (each, top) =>
    chain(rowsOf(each), (made) => readBranch(pass(made), each, top, application)),
  );
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
