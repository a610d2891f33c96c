import { chain, type Maybe } from "../../base/maybe.ts";
import { once } from "../../base/memo.ts";
import { inTurn, Turn } from "../../base/turn.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { type ODataError, protocolError } from "../../errors/odata-error.ts";
import { Evaluation } from "../../memory/evaluation.ts";
import type { JoinedSteps } from "../../plan/join-expansions.ts";
import type { ExpandPlan, ExpandStep } from "../../plan/plan-expand.ts";
import type { ExpandedEntity, Related } from "../../query/expanded-entity.ts";
import type { JoinedShape } from "../../query/row-shape.ts";
import { startAll } from "../entities/concurrency.ts";
import type { Reader } from "../entities/reader.ts";
import { toRow } from "../entities/row-to-entity.ts";
import { openExpandedList } from "./expand-list.ts";
import { openExpandedTarget } from "./expand-target.ts";
import { startLoads } from "./load-run.ts";
import { perEntity } from "./parent-keys.ts";
import { type Parents, readRelated, type RelatedFound, type RelatedReading } from "./read-related.ts";
import { countWritten, type ExpandRun, relating } from "./relate.ts";

/** The reader, the values and the limit of a request. */
export interface ExpandRequest extends Reader {
  /** The values of the parameters of the query. */
  readonly values: readonly PrimitiveValue[];
  /** The greatest number of entities in the response, parents included; null: no limit. */
  readonly maxEntities: number | null;
  /** The number of entities in the parts of the response before this one; absent: none. */
  readonly before?: number | undefined;
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
  const { values, context, gate, snapshot, maxEntities, before = 0, turn = new Turn() } = request;
  const evaluation = new Evaluation(values);
  const loads = once(() => startLoads(evaluation, { context, gate, snapshot }, "$expand"));
  const counted = { total: before + page.entities.length };
  const run: ExpandRun = { evaluation, loads, context, gate, snapshot, maxEntities, counted, turn };
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
  return chain(found, (all) =>
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
  const rowShape = parentShape?.joined?.get(step.expansion);
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
