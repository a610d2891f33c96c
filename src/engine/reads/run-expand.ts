import { bytesOfRow, jsonLength } from "../../base/byte-count.ts";
import { type ODataError, protocolError, tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe, inTurn, Turn } from "../../base/maybe.ts";
import { once, keptPer } from "../../base/memo.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { ExpansionLinks } from "../../language/query/clauses.ts";
import type { ExpandedEntity, Related } from "../../language/query/expanded-entity.ts";
import { computedIn, mentionsOf } from "../../language/query/mentions.ts";
import type { JoinedShape } from "../../language/query/row-shape.ts";
import type { QueryableSource, RelatedPage, RelationalSource } from "../../language/query/source.ts";
import { toRow } from "../entities/canonical-entity.ts";
import { startAll } from "../entities/concurrency.ts";
import { type Reader, readScope, timeoutOf, definitionOf } from "../entities/reader.ts";
import { applyClauses } from "../memory/apply-query.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { type JoinedSteps, stepShape } from "../plan/join-expansions.ts";
import type { ExpandPlan, ExpandStep } from "../plan/plan-expand.ts";
import type { TargetWay, ListWay } from "../plan/plan-related.ts";
import { totalOrder } from "../plan/total-order.ts";
import { eachGroup } from "./ask-by-key.ts";
import { chooseJoins, type ChosenJoins, refuseUnjoined } from "./choose-joins.ts";
import { computeRelated } from "./compute-related.ts";
import { startLoads, type ReadRun } from "./load-run.ts";
import { openSet } from "./open-set.ts";
import { perEntity, type JoinKey, type KeyGroup } from "./parent-keys.ts";
import { readJoined, joinList } from "./read-joined.ts";
import {
  type Parents,
  readRelated,
  type RelatedFound,
  type RelatedReading,
  type ReadTarget,
  type AnswerReading,
} from "./read-related.ts";
import { BESIDES, canCutList, countWritten, cutToBytes, type ExpandRun, relating, cutToPage } from "./relate.ts";
import { resolveSources } from "./resolve-sources.ts";
import { searchedSource } from "./search-related.ts";

/** The reader, the values and the limit of a request. */
export interface ExpandRequest extends Reader {
  /** The values of the parameters of the query. */
  readonly values: readonly PrimitiveValue[];
  /** The greatest number of entities in the response, parents included; null: no limit. */
  readonly maxEntities: number | null;
  /** The number of entities in the parts of the response before this one; absent: none. */
  readonly before?: number | undefined;
  /** Whether a list that does not fit ends early, with a next link; absent: it is an error. */
  readonly mayCutLists?: boolean | undefined;
  /** The options of next links; absent: none. */
  readonly links?: ExpansionLinks | undefined;
}

/** The entities to expand. */
export interface ParentPage extends Parents {
  /** The expansions that are joined to the rows. */
  readonly joined: JoinedSteps;
}

/** One level of parents, each with the number of times that it will be written: shared parents are loaded once. */
interface ExpandLevel extends ParentPage {
  readonly weights: readonly number[];
}

/** A page with its expansions. */
export interface ExpandedPage {
  readonly entities: readonly ExpandedEntity[];
  /** The number of entities in the response, expansions included. */
  readonly total: number;
}

/**
 * Expands the entities of a page: reads the related entities in the ways of the plan, applies the nested options, and
 * continues with the next level. Siblings load concurrently where they return promises.
 * @returns copies of the entities with their expansions
 * @throws ODataError that a handler returned or threw, and `InvalidQueryOption` above `maxEntities` and `maxExpandTop`;
 *   TypeError, naming the navigation, for an invalid handler result
 * @see docs/reference/expand.md
 */
export function runExpand(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): Maybe<ExpandedPage> {
  const { values, context, gate, maxEntities, before = 0, turn = new Turn() } = request;
  const { bytes, mayCutLists = false, links } = request;
  const evaluation = new Evaluation(values);
  const loads = once(() => startLoads(evaluation, { context, gate }, "$expand"));
  const counted = { total: before + page.entities.length };
  const run: ExpandRun = {
    evaluation,
    loads,
    context,
    gate,
    maxEntities,
    counted,
    turn,
    bytes,
    mayCutLists,
    links,
  };
  const level: ExpandLevel = { ...page, weights: page.entities.map(() => 1) };
  return chain(expandLevel(plan, level, run), (entities) => ({ entities, total: counted.total - before }));
}

function expandLevel(plan: ExpandPlan, level: ExpandLevel, run: ExpandRun): Maybe<readonly ExpandedEntity[]> {
  const { steps } = plan;
  const lists = startAll(steps.map((step) => () => runStep(step, level, run)));
  return chain(lists, (related) =>
    level.entities.map((entity, index) => ({ entity, related: related.map((list) => list[index] ?? null) })),
  );
}

/** Reads one expansion for each parent of the level. */
function runStep(step: ExpandStep, level: ExpandLevel, run: ExpandRun): Maybe<readonly Related[]> {
  if (level.entities.length === 0) return [];
  const joined = level.joined.below.get(step);
  const found = inTurn(run.turn, level.entities.length, () => {
    return joined === undefined ? readStep(step, level, run) : findJoined(step, level, joined, run);
  });
  const complete = chain(found, (all) => computeRelated(step.expansion, all, run));
  return chain(complete, (all) =>
    chain(expandBelow(step, all, run), (expanded) =>
      inTurn(run.turn, expanded.length, () => perEntity(all, expanded, null)),
    ),
  );
}

function readStep(step: ExpandStep, level: ExpandLevel, run: ExpandRun): Maybe<RelatedFound<Related>> {
  const { expansion, ways, place } = step;
  const { navigationProperty, count } = expansion;
  const reading: RelatedReading<Related> = {
    answers: () => relating(step, run),
    openTarget: (way) => openExpandedTarget(step, way, run),
    openList: (way) => openExpandedList(step, way, run),
    none: navigationProperty.isCollection
      ? { kind: "collection", entities: [], count: count ? 0 : undefined, hasMore: false }
      : { kind: "entity", entity: null },
  };
  return chain(readRelated(level, { ...expansion, ways, place }, reading, run), (found) => {
    // Rows contain only their columns: nothing else may have loaded the related entities.
    const isUnread = level.rowShape !== undefined && found.positions.includes(undefined);
    if (isUnread && expansion.isFromStar !== true) throw cannotExpand(place);
    return found;
  });
}

/** Makes the error for an expansion that only the request shows to be impossible. */
function cannotExpand(place: string): ODataError {
  const message = `'${place}' cannot be expanded: the service cannot read these related entities together with their parents.`;
  return protocolError("UnsupportedQueryOption", message, { target: "$expand" });
}

/** Returns the related entities that are joined to the rows of their parents. */
function findJoined(
  step: ExpandStep,
  { entities, rowShape: parentShape, weights }: ExpandLevel,
  joined: JoinedSteps,
  run: ExpandRun,
): RelatedFound<Related> {
  const rowShape = parentShape?.joined?.get(step.expansion.navigationProperty);
  if (rowShape === undefined) throw new Error(`The source did not join ${step.place}, although the query requires it.`);
  const found = entities.map((parent, index) => {
    const each = joinedEntity(rowShape, parent);
    countWritten(step, entitiesOf(each).length * (weights[index] ?? 1), run);
    return each;
  });
  return { found, weights, positions: [...found.keys()], rowShape, joined };
}

/** Returns the related entity that is joined to the row of its parent; null where the row has none. */
function joinedEntity(shape: JoinedShape, parent: unknown): Related {
  const row = toRow(parent);
  return { kind: "entity", entity: shape.isPresent(row) ? row : null, rowShape: shape };
}

/** Expands the next level for all related entities at once, and puts each back in its place. */
function expandBelow(
  { expansion, below }: ExpandStep,
  { found, weights, rowShape, joined }: RelatedFound<Related>,
  run: ExpandRun,
): Maybe<readonly Related[]> {
  if (below === null) return found;
  const lists = found.map(entitiesOf);
  const level: ExpandLevel = {
    entities: lists.flat(),
    weights: lists.flatMap((list, index) => list.map(() => weights[index] ?? 1)),
    rowShape,
    entityType: expansion.navigationProperty.entityType,
    joined,
  };
  return chain(expandLevel(below, level, run), (expanded) => {
    let position = 0;
    return found.map((each, index): Related => {
      const start = position;
      position += lists[index]?.length ?? 0;
      if (each === null || position === start) return each;
      return each.kind === "entity"
        ? { ...each, entity: expanded[start] }
        : { ...each, entities: expanded.slice(start, position) };
    });
  });
}

/** Returns the related entities of one parent as a list. */
function entitiesOf(related: Related): readonly unknown[] {
  if (related === null) return [];
  if (related.kind === "collection") return related.entities;
  return related.entity === null ? [] : [related.entity];
}

/**
 * Opens the target set of an expansion. It is then read for all parents of a level in one statement, with the nested
 * options and the expansions of the next level that can be joined.
 * @returns null where the source of the target set cannot read along navigations
 * @throws ODataError `InvalidQueryOption` above the limits; `UnsupportedQueryOption` for an expression that the source
 *   cannot join, and for a nested `$search` with results from outside the database
 * @see docs/reference/expand.md
 */
function openExpandedTarget(
  step: ExpandStep,
  { join, target }: TargetWay,
  run: ExpandRun,
): Maybe<ReadTarget<Related> | null> {
  return chain(relationalSource(step, target, run), (source) => {
    const relational = source?.relational;
    if (source === null || relational === undefined) return null;
    return (groups) =>
      chain(chooseJoins(isComputed(step) ? null : step.below, source, run, join), (chosen) => {
        const page = chain(withMentioned(step, relational, chosen, run), (sources) =>
          readLists(step, relational, { ...chosen, sources }, groups, run),
        );
        return chain(page, (answer) => ({
          found: toLists(step, run, groups, answer),
          rowShape: answer.rowShape,
          joined: chosen.joined,
        }));
      });
  });
}

/** Whether the related entities become objects, which contain no joined expansions. */
function isComputed({ expansion }: ExpandStep): boolean {
  return computedIn(expansion.selectExpand) !== null;
}

function relationalSource(
  { search, place }: ExpandStep,
  target: TargetWay["target"],
  run: ReadRun,
): Maybe<QueryableSource | null> {
  return chain(resolveSources([target], run), (sources) => {
    const source = sources.get(target);
    if (source?.relational === undefined) return null;
    if (search === null) return source;
    const refusal = { option: "$expand", where: `in the expansion '${place}'`, what: "its search" };
    return searchedSource(search, target, refusal, run);
  });
}

/** Adds the sources that the expressions of the expansion itself mention. */
function withMentioned(
  { expansion, place }: ExpandStep,
  relational: RelationalSource,
  chosen: ChosenJoins,
  run: ReadRun,
): Maybe<ChosenJoins["sources"]> {
  const mentions = mentionsOf(expansion);
  if (mentions === null) return chosen.sources;
  return chain(resolveSources(mentions.entitySets, run), (mentioned) => {
    const sources = new Map([...chosen.sources, ...mentioned]);
    refuseUnjoined({ mentions, relational, sources }, "$expand", place);
    return sources;
  });
}

function readLists(
  step: ExpandStep,
  relational: RelationalSource,
  { joined, sources }: ChosenJoins,
  groups: readonly KeyGroup<JoinKey>[],
  run: ReadRun,
): Maybe<RelatedPage> {
  const { expansion, page } = step;
  const { evaluation, maxEntities, counted } = run;
  return readJoined(
    relational,
    {
      shape: stepShape(step, joined),
      values: evaluation.values,
      keys: groups.map(({ key }) => key.values),
      skip: expansion.skip,
      top: page.readSize,
      count: expansion.count,
      // Each parent may have one extra row, which shows that more rows follow. One row above all of these exceeds the limit.
      maxRows: maxEntities === null ? undefined : Math.max(maxEntities - counted.total, 0) + groups.length + 1,
      sources,
      timeout: timeoutOf(run.context),
      bytes: run.bytes,
    },
    readScope(run),
  );
}

function toLists(
  step: ExpandStep,
  run: ExpandRun,
  groups: readonly KeyGroup<JoinKey>[],
  { related, counts, rowShape, isCut }: RelatedPage,
): readonly Related[] {
  const mayCut = groups.length === 1 && canCutList(step, run);
  if (isCut === true && !mayCut) throw tooManyBytes(`The expansion '${step.place}'`);
  return groups.map(({ weight }, index): Related => {
    const entities = related[index] ?? [];
    if (step.expansion.navigationProperty.isCollection) {
      const page = cutToPage(step, { entities, count: counts?.[index] ?? 0 }, weight, run);
      const bytesOf = (row: unknown): number => bytesOfRow(toRow(row), BESIDES, jsonLength);
      return { ...(mayCut ? cutToBytes(page, isCut === true, bytesOf, step, run) : page), rowShape };
    }
    const entity = entities[0] ?? null;
    if (entity !== null) countWritten(step, weight, run);
    return { kind: "entity", entity, rowShape };
  });
}

/**
 * Opens the target set of an expansion as a list. One pass over it finds the related entities of all parents of a level;
 * the nested options are applied as to the results of handlers.
 * @returns null where the target set is not a list
 * @throws ODataError that a handler returned or threw; TypeError for an item that is not an entity
 * @see docs/reference/expand.md
 */
function openExpandedList(
  step: ExpandStep,
  { join, target }: ListWay,
  run: ExpandRun,
): Maybe<ReadTarget<Related> | null> {
  return chain(openSet(target, { relational: false, list: "kept" }, run.loads()), (rows) => {
    if (rows === null || rows.relational !== undefined) return null;
    // A source has the order of the key, a handler its own order. Of several single entities the first by key counts.
    const isSource = definitionOf(target, run.context).handlers.queryable !== undefined;
    const { isCollection } = step.expansion.navigationProperty;
    const ordered = isSource || !isCollection ? inKeyOrder(step) : step;
    const { turn } = run;
    return (groups) =>
      chain(joinList(step.expansion, join, groups, rows.entities, { count: () => undefined, turn }), (lists) =>
        chain(relating(ordered, run), (answers) => {
          const related = isCollection ? lists : lists.map((list) => firstOf(list, ordered, run));
          const take = (all: readonly unknown[]): ReturnType<typeof takeAll> => takeAll(all, groups, answers, run);
          return chain(answers.prepare === null ? related : answers.prepare(related), (prepared) =>
            chain(take(prepared), (found) => ({ found })),
          );
        }),
      );
  });
}

function takeAll(
  related: readonly unknown[],
  groups: ReadonlyArray<{ readonly weight: number }>,
  { take }: AnswerReading<Related>,
  run: ExpandRun,
): Maybe<readonly Related[]> {
  return eachGroup([...groups.entries()], ([index, { weight }]) => take(related[index], weight), run);
}

/** The step, with the order of the key in place of the order of the list. */
const inKeyOrder: (step: ExpandStep) => ExpandStep = keptPer((step) => {
  const { orderBy, navigationProperty } = step.expansion;
  return Object.freeze({ ...step, orderBy: totalOrder(orderBy, navigationProperty.entityType) });
});

/** Returns the related entity of a parent: the first of several in the order of the step; null without any. */
function firstOf(list: readonly object[], { expansion, orderBy }: ExpandStep, run: ExpandRun): object | null {
  const [first = null] = list;
  if (list.length < 2) return first;
  const { navigationProperty, roundingMode } = expansion;
  const shape = { entityType: navigationProperty.entityType, roundingMode };
  const query = { shape, filter: null, orderBy, skip: 0, top: 1, count: false };
  const [lowest] = applyClauses(list, query, run.evaluation).entities;
  return (lowest as object | undefined) ?? first;
}
