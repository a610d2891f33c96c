import type { Context } from "../definition/context.ts";
import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { protocolError } from "../errors/odata-error.ts";
import { fieldOf, isInheritedName } from "../memory/compile-property.ts";
import type { ExpandPlan, ExpandStep } from "../plan/plan-expand.ts";
import type { ExpandedEntity, Related } from "../query/expanded-entity.ts";
import type { RowShape } from "../query/row-shape.ts";
import { batchLookup } from "./batch-answer.ts";
import { chain } from "./chain.ts";
import { mapEach, startAll } from "./concurrency.ts";
import { type EntityKey, entityKeyReader } from "./entity-key.ts";
import { orThrow, type MaybeResult } from "./handler-answer.ts";
import { type ExpandRun, relate, relateLoaded, type Relation } from "./relate.ts";
import { searchMatches } from "./search-matches.ts";

/** The entities whose expansions are to be filled in. */
export interface ParentPage {
  readonly entities: readonly unknown[];
  /** The layout of the entities when they are rows. */
  readonly rowShape: RowShape | undefined;
  readonly entityType: EntityType;
}

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

/** One level of parents, each with the number of times that it will be written: shared ones are loaded once. */
interface Level extends ParentPage {
  readonly weights: readonly number[];
}

/** Parents that have one key. */
interface Group {
  readonly key: EntityKey;
  weight: number;
}

/**
 * Fills in the expansions of a page: calls the handlers of the plan, applies the nested options in memory, and goes on
 * with the next level. A handler is asked once for each key. Siblings load at the same time where they need promises.
 * @returns the entities, each with what its expansions brought; they themselves are not changed
 * @throws ODataError that a handler returned or threw, and `InvalidQueryOption` above `maxEntities` and `maxExpandTop`;
 *   TypeError, naming the navigation, for an answer of another form
 * @see specification, $expand, rules 2 and 3
 */
export function runExpand(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): MaybeResult<ExpandedPage> {
  const { values, context, maxEntities } = request;
  const run: ExpandRun = { values: [...values], context, maxEntities, total: page.entities.length };
  const level: Level = { ...page, weights: page.entities.map(() => 1) };
  return chain(expandLevel(plan, level, run), (entities) => ({ entities, total: run.total }));
}

function expandLevel(plan: ExpandPlan, level: Level, run: ExpandRun): MaybeResult<readonly ExpandedEntity[]> {
  const { steps } = plan;
  if (level.rowShape !== undefined) refuseAsLoaded(steps);
  const lists = startAll(steps.map((step) => () => runStep(step, level, run)));
  return chain(lists, (related) =>
    level.entities.map((entity, index) => ({ entity, related: related.map((list) => list[index] ?? null) })),
  );
}

/** Rows hold nothing but their columns, and to leave the expansion out would be no answer to the request. */
function refuseAsLoaded(steps: readonly ExpandStep[]): void {
  const step = steps.find(({ load }) => load.kind === "asLoaded");
  if (step === undefined) return;
  const { name } = step.expansion.navigationProperty;
  const message = `The navigation property '${name}' of this entity set cannot be expanded: nothing loads it.`;
  throw protocolError("UnsupportedQueryOption", message, { target: "$expand" });
}

/** What one expansion brings for each parent of the level. */
function runStep(step: ExpandStep, level: Level, run: ExpandRun): MaybeResult<readonly Related[]> {
  if (level.entities.length === 0) return [];
  const { search } = step;
  if (search === null) return relateAll({ step, isMatch: null, run }, level);
  return chain(searchMatches(search, run.context), (isMatch) => relateAll({ step, isMatch, run }, level));
}

function relateAll(relation: Relation, level: Level): MaybeResult<readonly Related[]> {
  const { step, run } = relation;
  const { load, expansion } = step;
  if (load.kind === "asLoaded") {
    const { field } = expansion.navigationProperty;
    const loaded = level.entities.map((parent, index) =>
      relateLoaded(relation, loadedValue(parent, field), level.weights[index] ?? 1),
    );
    return expandBelow(step, loaded, level.weights, run);
  }
  const { groups, positions } = groupByKey(level);
  const answers =
    load.kind === "batch"
      ? chain(
          load.getBatch(
            groups.map(({ key }) => key.value),
            run.context,
          ),
          (answer) => {
            const find = batchLookup(orThrow(answer), level.entityType, step.place);
            return eachGroup(groups, (group) => relate(relation, find(group.key), group.weight), run);
          },
        )
      : eachGroup(
          groups,
          (group) => chain(load.get(group.key.value, run.context), (answer) => relate(relation, answer, group.weight)),
          run,
        );
  const expanded = chain(answers, (related) =>
    expandBelow(
      step,
      related,
      groups.map(({ weight }) => weight),
      run,
    ),
  );
  return chain(expanded, (related) => positions.map((position) => related[position] ?? null));
}

function eachGroup(
  groups: readonly Group[],
  call: (group: Group) => MaybeResult<Related>,
  { context }: ExpandRun,
): MaybeResult<readonly Related[]> {
  return mapEach(groups, call, () => context.signal);
}

/** The distinct keys of the parents, and for each parent which of them is its own. */
function groupByKey(level: Level): { readonly groups: readonly Group[]; readonly positions: readonly number[] } {
  const readKey = entityKeyReader(level.entityType, level.rowShape);
  const byIdentity = new Map<string, number>();
  const groups: Group[] = [];
  const positions = level.entities.map((entity, index) => {
    const key = readKey(entity);
    const weight = level.weights[index] ?? 1;
    const known = byIdentity.get(key.identity);
    const group = known === undefined ? undefined : groups[known];
    if (known !== undefined && group !== undefined) {
      group.weight += weight;
      return known;
    }
    byIdentity.set(key.identity, groups.length);
    return groups.push({ key, weight }) - 1;
  });
  return { groups, positions };
}

function loadedValue(parent: unknown, field: string): unknown {
  if (typeof parent !== "object" || parent === null) return undefined;
  // What every object inherits is nobody's navigation.
  return isInheritedName(field) && !Object.hasOwn(parent, field) ? undefined : fieldOf(parent, field);
}

/** Expands the next level for all related entities at once, and puts each back where it stood. */
function expandBelow(
  { expansion, below }: ExpandStep,
  related: readonly Related[],
  weights: readonly number[],
  run: ExpandRun,
): MaybeResult<readonly Related[]> {
  if (below === null) return related;
  const lists = related.map(entitiesOf);
  const level: Level = {
    entities: lists.flat(),
    weights: lists.flatMap((list, index) => list.map(() => weights[index] ?? 1)),
    rowShape: undefined,
    entityType: expansion.navigationProperty.entityType,
  };
  return chain(expandLevel(below, level, run), (expanded) => {
    let position = 0;
    return related.map((each, index): Related => {
      const start = position;
      position += lists[index]?.length ?? 0;
      if (each === null || position === start) return each;
      if (each.kind === "entity") return { kind: "entity", entity: expanded[start] };
      return { ...each, entities: expanded.slice(start, position) };
    });
  });
}

function entitiesOf(related: Related): readonly unknown[] {
  if (related === null) return [];
  if (related.kind === "collection") return related.entities;
  return related.entity === null ? [] : [related.entity];
}
