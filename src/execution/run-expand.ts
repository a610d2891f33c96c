import { chain, type Maybe } from "../base/maybe.ts";
import { once } from "../base/once.ts";
import type { Context } from "../definition/context.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { NO_JOINS, type JoinedSteps } from "../plan/join-expansions.ts";
import type { ExpandLoad, ExpandPlan, ExpandStep } from "../plan/plan-expand.ts";
import type { ExpandedEntity, Related } from "../query/expanded-entity.ts";
import { mentionsOf } from "../query/mentions.ts";
import { batchLookup } from "./batch-answer.ts";
import { mapEach, startAll } from "./concurrency.ts";
import { type EntityKey, entityKeyReader } from "./entity-key.ts";
import { entitiesOf, type ExpandLevel, joinedEntity, type ParentPage } from "./expand-level.ts";
import { groupByKey, type KeyGroup, perEntity } from "./group-by-key.ts";
import { orThrow } from "./handler-answer.ts";
import { loadNested } from "./load-nested.ts";
import { startLoads } from "./load-run.ts";
import { loadedValues } from "./loaded-values.ts";
import { countEntities, type ExpandRun, relate, relateLoaded, type Relation } from "./relate.ts";
import { type RelatedLists, readRelatedLists, relationalSource } from "./run-related.ts";
import { searchMatches } from "./search-matches.ts";
import { visibleValues } from "./visible-values.ts";

/** What a request brings along. */
export interface ExpandRequest {
  /** The values of the parameters of the query. */
  readonly values: readonly PrimitiveValue[];
  readonly context: Context;
  /** Most entities that the response may hold, parents included; null: no limit. */
  readonly maxEntities: number | null;
}

/** A page with its expansions. */
export interface ExpandedPage {
  readonly entities: readonly ExpandedEntity[];
  /** How many entities are written, expansions included. */
  readonly total: number;
}

/** A handler that is asked by key. */
type HandlerLoad = Extract<ExpandLoad, { readonly kind: "batch" | "each" }>;

/** Parents that have one key. */
type Group = KeyGroup<EntityKey>;

/**
 * Fills in the expansions of a page: calls the handlers of the plan, applies the nested options in memory, and goes on
 * with the next level. A handler is asked once for each key. Siblings load at the same time where they need promises.
 * @returns the entities, each with what its expansions brought; they themselves are not changed
 * @throws ODataError that a handler returned or threw, and `InvalidQueryOption` above `maxEntities` and `maxExpandTop`;
 *   TypeError, naming the navigation, for an answer of another form
 * @see specification, $expand, rules 2 and 3
 */
export function runExpand(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): Maybe<ExpandedPage> {
  const { values, context, maxEntities } = request;
  const evaluation = new Evaluation(values);
  const loads = once(() => startLoads(evaluation, context, "$expand"));
  const run: ExpandRun = { evaluation, loads, context, maxEntities, total: page.entities.length };
  const level: ExpandLevel = { ...page, weights: page.entities.map(() => 1) };
  return chain(expandLevel(plan, level, run), (entities) => ({ entities, total: run.total }));
}

function expandLevel(plan: ExpandPlan, level: ExpandLevel, run: ExpandRun): Maybe<readonly ExpandedEntity[]> {
  const { steps } = plan;
  const lists = startAll(steps.map((step) => () => runStep(step, level, run)));
  return chain(lists, (related) =>
    level.entities.map((entity, index) => ({ entity, related: related.map((list) => list[index] ?? null) })),
  );
}

/** Rows hold nothing but their columns, so where nothing loads an expansion there is nothing to write. */
function notLoaded({ entities }: ExpandLevel): readonly Related[] {
  return entities.map(() => null);
}

/** What one expansion brings for each parent of the level. */
function runStep(step: ExpandStep, level: ExpandLevel, run: ExpandRun): Maybe<readonly Related[]> {
  if (level.entities.length === 0) return [];
  const { load } = step;
  const joined = level.joined.below.get(step);
  if (joined !== undefined) return relateJoined(step, level, joined, run);
  const isOfRows = level.rowShape !== undefined;
  if (load.kind === "asLoaded" && isOfRows) return notLoaded(level);
  if (load.kind !== "related") return relateHere(step, level, run);
  return chain(relationalSource(step, load, run.context), (source) => {
    if (source !== null) {
      return chain(readRelatedLists(step, load, source, level, run), (lists) => relateLists(step, lists, run));
    }
    return isOfRows ? notLoaded(level) : relateHere(step, level, run);
  });
}

/** The related entities stand in the rows of their parents. */
function relateJoined(
  step: ExpandStep,
  level: ExpandLevel,
  joined: JoinedSteps,
  run: ExpandRun,
): Maybe<readonly Related[]> {
  const rowShape = level.rowShape?.joined?.get(step.expansion);
  if (rowShape === undefined) throw new Error(`The source did not join ${step.place}, though it was asked to.`);
  const related = level.entities.map((parent, index) => {
    const each = joinedEntity(rowShape, parent);
    countEntities(step, entitiesOf(each).length * (level.weights[index] ?? 1), run);
    return each;
  });
  return expandBelow(step, { related, weights: level.weights, rowShape, joined }, run);
}

/** The source of the target set read them, once for each join key. */
function relateLists(step: ExpandStep, related: RelatedLists, run: ExpandRun): Maybe<readonly Related[]> {
  const { lists, weights, rowShape, joined } = related;
  const { navigationProperty, count } = step.expansion;
  const none: Related = navigationProperty.isCollection
    ? { kind: "collection", entities: [], count: count ? 0 : undefined, hasMore: false }
    : { kind: "entity", entity: null };
  return chain(expandBelow(step, { related: lists, weights, rowShape, joined }, run), (expanded) =>
    perEntity(related, expanded, none),
  );
}

/** A handler brings them, or has brought them; the nested options are applied in memory. */
function relateHere(step: ExpandStep, level: ExpandLevel, run: ExpandRun): Maybe<readonly Related[]> {
  const { search } = step;
  if (search === null) return relateAll({ step, isMatch: null, run }, level);
  return chain(searchMatches(search, run.context), (isMatch) => relateAll({ step, isMatch, run }, level));
}

function relateAll(relation: Relation, level: ExpandLevel): Maybe<readonly Related[]> {
  const { step, run } = relation;
  const { load, expansion } = step;
  if (load.kind === "asLoaded" || load.kind === "related") {
    const values = loadedValues(step, level.entities, run.context);
    return chain(visibleValues(expansion, values, run.context), (seen) =>
      chain(loadNested(step, seen, run), (loaded) => {
        const related = loaded.map((value, index) => relateLoaded(relation, value, level.weights[index] ?? 1));
        return expandBelow(step, asObjects(related, level.weights), run);
      }),
    );
  }
  const readKey = entityKeyReader(level.entityType, level.rowShape);
  const grouped = groupByKey(level.entities, readKey, level.weights);
  const { groups } = grouped;
  const weights = groups.map(({ weight }) => weight);
  const expanded = chain(relateGroups(relation, load, groups, level), (related) =>
    expandBelow(step, asObjects(related, weights), run),
  );
  return chain(expanded, (related) => perEntity(grouped, related, null));
}

/** Each answer is filtered and cut as it comes, unless expressions lead from it to what is loaded for all at once. */
function relateGroups(
  relation: Relation,
  load: HandlerLoad,
  groups: readonly Group[],
  level: ExpandLevel,
): Maybe<readonly Related[]> {
  const { step, run } = relation;
  if (mentionsOf(step.expansion) === null) {
    return askHandler(relation, load, groups, level, (answer, { weight }) => relate(relation, answer, weight));
  }
  return chain(
    askHandler(relation, load, groups, level, (answer) => answer),
    (answers) =>
      chain(loadNested(step, answers, run), (loaded) => {
        const pairs = groups.map((group, index) => ({ answer: loaded[index], weight: group.weight }));
        return mapEach(
          pairs,
          ({ answer, weight }) => relate(relation, answer, weight),
          () => run.context.signal,
        );
      }),
  );
}

/** Asks the handler once for each key, or once for all of them. */
function askHandler<T>(
  { step, run }: Relation,
  load: HandlerLoad,
  groups: readonly Group[],
  { entityType }: ExpandLevel,
  take: (answer: unknown, group: Group) => Maybe<T>,
): Maybe<readonly T[]> {
  const { context } = run;
  if (load.kind === "each") {
    return eachGroup(
      groups,
      (group) => chain(load.get(group.key.value, context), (answer) => take(answer, group)),
      run,
    );
  }
  const keys = groups.map(({ key }) => key.value);
  return chain(load.getBatch(keys, context), (answer) => {
    const find = batchLookup(orThrow(answer), entityType, step.place);
    return eachGroup(groups, (group) => take(find(group.key), group), run);
  });
}

function eachGroup<T>(
  groups: readonly Group[],
  call: (group: Group) => Maybe<T>,
  { context }: ExpandRun,
): Maybe<readonly T[]> {
  return mapEach(groups, call, () => context.signal);
}

/** What a step brought, before the level below it. */
interface Brought extends Pick<ParentPage, "rowShape" | "joined"> {
  readonly related: readonly Related[];
  /** How often each of them will be written. */
  readonly weights: readonly number[];
}

function asObjects(related: readonly Related[], weights: readonly number[]): Brought {
  return { related, weights, rowShape: undefined, joined: NO_JOINS };
}

/** Expands the next level for all related entities at once, and puts each back where it stood. */
function expandBelow(
  { expansion, below }: ExpandStep,
  { related, weights, rowShape, joined }: Brought,
  run: ExpandRun,
): Maybe<readonly Related[]> {
  if (below === null) return related;
  const lists = related.map(entitiesOf);
  const level: ExpandLevel = {
    entities: lists.flat(),
    weights: lists.flatMap((list, index) => list.map(() => weights[index] ?? 1)),
    rowShape,
    entityType: expansion.navigationProperty.entityType,
    joined,
  };
  return chain(expandLevel(below, level, run), (expanded) => {
    let position = 0;
    return related.map((each, index): Related => {
      const start = position;
      position += lists[index]?.length ?? 0;
      if (each === null || position === start) return each;
      return each.kind === "entity"
        ? { ...each, entity: expanded[start] }
        : { ...each, entities: expanded.slice(start, position) };
    });
  });
}
