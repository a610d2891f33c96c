import { withSignalOf } from "../../base/later.ts";
import { chain, type Maybe, inTurns, type Pace, type Steps } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import type { DirectJoin, EntitySet, EntityType } from "../../edm/model.ts";
import type { NavigationStep } from "../../language/query/capabilities.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { NavigationMention } from "../../language/query/mentions.ts";
import type { ReadScope } from "../../language/query/reading.ts";
import type {
  RelatedPage,
  RelatedQuery,
  RelatedShape,
  RelationalSource,
  SourceQuery,
} from "../../language/query/source.ts";
import { type RowConversion, rowReader, wholeEntity } from "../entities/canonical-entity.ts";
import { readScope, timeoutOf } from "../entities/reader.ts";
import { isEntity } from "../memory/evaluation.ts";
import { visitRows } from "../memory/visit-rows.ts";
import type { TargetWay } from "../plan/plan-related.ts";
import { totalOrder } from "../plan/total-order.ts";
import type { LoadRun } from "./load-run.ts";
import { openSet, type SetForms } from "./open-set.ts";
import { type JoinKey, joinKeyReader, type KeyGroup, mirrored } from "./parent-keys.ts";

/** A read of related entities. By default it reads all entities of the keys, without a count. */
export type JoinedQuery = Pick<RelatedQuery, "shape" | "keys"> & Partial<Omit<RelatedQuery, "shape" | "keys">>;

/**
 * Reads the related entities of all keys from a source, in one statement.
 * @param request provides the open transaction, the place and the signal
 */
export function readJoined(
  relational: RelationalSource,
  query: JoinedQuery,
  request: ReadScope & Pick<SourceQuery, "signal">,
): Maybe<RelatedPage> {
  const { shape, values = [], keys, skip = 0, top, count = false, maxRows, sources, timeout, bytes } = query;
  const joined: Omit<Parameters<RelationalSource["readRelated"]>[0], "signal"> = {
    shape,
    values,
    keys,
    skip,
    top,
    count,
    maxRows,
    sources,
    transaction: request.transaction,
    reading: request.reading,
    caller: request.caller,
    timeout,
    bytes,
  };
  return relational.readRelated(withSignalOf(joined, request));
}

/** The number of rows between two readings of the clock. */
const SLICE = 16;

/** The related objects of each key, in the order of the keys. */
type ObjectLists = readonly (readonly object[])[];

/**
 * Opens the target set of a path in the first form that it has. The whole related entities of all keys are then read by
 * one statement of a source, or by one pass over a list.
 * @param count counts entities against the limit of the run
 * @returns null where the target set cannot be read
 * @throws ODataError that a handler returned or threw; the error of `count`
 */
export function openJoined(
  mention: NavigationMention,
  { join, target }: TargetWay,
  run: LoadRun,
  count: (entities: number) => void,
): Maybe<((groups: readonly KeyGroup<JoinKey>[]) => Maybe<ObjectLists>) | null> {
  const forms: SetForms = { relational: true, list: join.kind === "direct" ? "kept" : null };
  return chain(openSet(target, forms, run), (rows) => {
    if (rows === null) return null;
    const { relational } = rows;
    if (relational !== undefined) {
      return (groups) => readObjects(relational, shapeOf(mention, { join, target }), groups, run, count);
    }
    if (join.kind !== "direct") throw new Error(`A link to ${target.name} is read from no list.`);
    return (groups) => joinList(mention, join, groups, rows.entities, { count, turn: run.turn });
  });
}

function readObjects(
  relational: RelationalSource,
  shape: RelatedShape,
  groups: readonly KeyGroup<JoinKey>[],
  run: LoadRun,
  count: (entities: number) => void,
): Maybe<ObjectLists> {
  const { maxEntities, counted, turn } = run;
  const maxRows = maxEntities === null ? undefined : Math.max(maxEntities - counted.total, 0) + 1;
  const query: JoinedQuery = {
    shape,
    keys: groups.map(({ key }) => key.values),
    maxRows,
    timeout: timeoutOf(run.context),
  };
  return chain(readJoined(relational, query, readScope(run)), ({ related, rowShape }) => {
    const toEntity = rowReader(rowShape);
    return inTurns((pace) => toObjects(related, toEntity, count, pace), turn);
  });
}

function* toObjects(
  related: RelatedPage["related"],
  toEntity: RowConversion,
  count: (entities: number) => void,
  pace: Pace,
): Steps<ObjectLists> {
  const lists: (readonly object[])[] = [];
  let unpaused = 0;
  for (const rows of related) {
    count(rows.length);
    lists.push(rows.map(toEntity));
    unpaused += rows.length;
    if (unpaused < SLICE || !pace.isOver) continue;
    yield;
    unpaused = 0;
  }
  return lists;
}

/** Counts the entities that are found. */
interface Counting extends Pick<LoadRun, "turn"> {
  readonly count: (entities: number) => void;
}

/**
 * Finds the entities that have any of the keys, in one pass over a list.
 * @throws TypeError for an item that is not an entity; the error of `count`
 */
export function joinList(
  { entitySet, navigationProperty }: NavigationStep,
  join: DirectJoin,
  groups: readonly KeyGroup<JoinKey>[],
  entities: Iterable<unknown>,
  { count, turn }: Counting,
): Maybe<ObjectLists> {
  const readKey = joinKeyReader(mirrored(join), navigationProperty.entityType, undefined);
  const lists = groups.map(({ key }): readonly [string, object[]] => [key.identity, []]);
  const byIdentity = new Map(lists);
  const add = (entity: unknown): boolean => {
    if (!isEntity(entity)) {
      const place = `${entitySet.name}/${navigationProperty.name}`;
      throw new TypeError(`The target set of ${place} contains a value that is not an entity.`);
    }
    const key = readKey(entity);
    const list = key === null ? undefined : byIdentity.get(key.identity);
    if (list !== undefined) {
      list.push(entity);
      count(1);
    }
    return true;
  };
  const visited = inTurns((pace) => visitRows(entities, add, pace), turn);
  return chain(visited, () => lists.map(([, list]) => list));
}

/** The query along a join. */
function shapeOf(mention: NavigationMention, { join, target }: Pick<TargetWay, "join" | "target">): RelatedShape {
  return mention.ignored.length === 0 ? wholeShape(join, target) : ruledShape(mention, join);
}

const wholeShape = keptPerPair((join: TargetWay["join"], target: EntitySet) =>
  makeShape(join, target.entityType, wholeEntity(target)),
);

/** The query of code of the application, which also uses ignored properties. */
const ruledShape = keptPerPair(
  ({ navigationProperty, ignored, target }: NavigationMention, join: TargetWay["join"]) => {
    const whole = target === null ? [] : wholeEntity(target).map(({ property }) => property);
    const selected = Array.from(new Set([...whole, ...ignored]), (property) => ({ property }));
    return makeShape(join, navigationProperty.entityType, Object.freeze(selected));
  },
);

function makeShape(
  join: TargetWay["join"],
  entityType: EntityType,
  selected: readonly SelectedProperty[],
): RelatedShape {
  const shape: RelatedShape = {
    join,
    entityType,
    filter: null,
    orderBy: totalOrder([], entityType),
    selected,
    joined: [],
    roundingMode: "spec-compliant",
  };
  return Object.freeze(shape);
}
