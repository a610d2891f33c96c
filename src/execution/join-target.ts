import { chain, type Maybe } from "../base/maybe.ts";
import type { DirectJoin, EntitySet, NavigationJoin } from "../edm/model.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";
import type { RelatedObject } from "../memory/relations.ts";
import { parentProperties } from "../plan/plan-related.ts";
import { totalOrder } from "../plan/total-order.ts";
import type { NavigationMention } from "../query/mentions.ts";
import type { RelatedQuery, RelatedShape, RelationalSource } from "../query/source.ts";
import { collectEntities } from "./collect-entities.ts";
import { groupByKey, perEntity } from "./group-by-key.ts";
import { orThrow } from "./handler-answer.ts";
import { type JoinKey, joinKeyReader } from "./join-key.ts";
import { countLoaded, type LoadRun } from "./load-run.ts";
import { resolveSource, serviceOf } from "./resolve-sources.ts";
import { rowReader, wholeEntity } from "./row-to-entity.ts";

/** The related entities of each join key that owners have, in the order of the keys. */
type RelatedLists = readonly (readonly object[])[];

const NONE: ReadonlySet<unknown> = new Set();

/**
 * Finds what a navigation leads to by its join: the target set is read once for all owners.
 * @param objects distinct
 * @returns for each of the objects; undefined for one that does not tell what it is joined by. Null where none does, no
 *   join is declared, or the target set has no source that can be read so
 * @throws as for loadRelations
 */
export function joinTarget(
  mention: NavigationMention,
  objects: readonly object[],
  run: LoadRun,
): Maybe<ReadonlyArray<RelatedObject | undefined> | null> {
  const { entitySet, navigationProperty, target } = mention;
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  if (join === undefined || target === null) return null;
  const untold = untoldOf(join, mention, objects);
  if (untold.size > 0 && untold.size === objects.length) return null;
  const readKey = joinKeyReader(join, entitySet.entityType, undefined);
  const owners = groupByKey(objects, (object) => (untold.has(object) ? null : readKey(object)));
  const keys = owners.groups.map(({ key }) => key);
  return chain(readTarget(mention, join, keys, run), (lists) => {
    if (lists === null) return null;
    return perEntity(owners, lists, []).map((list, index): RelatedObject | undefined => {
      if (untold.has(objects[index])) return undefined;
      return navigationProperty.isCollection ? list : (list[0] ?? null);
    });
  });
}

/**
 * The entities that do not tell what they are joined by: ignored properties may be absent from what handlers answer, and
 * then nothing is known of what is related.
 */
function untoldOf(
  join: NavigationJoin,
  { entitySet }: NavigationMention,
  objects: readonly object[],
): ReadonlySet<unknown> {
  const { ignoredProperties } = entitySet.entityType;
  const ignored = parentProperties(join).filter((property) => ignoredProperties.includes(property));
  if (ignored.length === 0) return NONE;
  return new Set(objects.filter((object) => ignored.some(({ field }) => fieldOf(object, field) === undefined)));
}

/** Reads the target set in the first way that it has; null: it has none. */
function readTarget(
  mention: NavigationMention,
  join: NavigationJoin,
  keys: readonly JoinKey[],
  run: LoadRun,
): Maybe<RelatedLists | null> {
  const { target } = mention;
  const { queryable, getAll } = serviceOf(run.context).entitySets.get(target?.name ?? "")?.handlers ?? {};
  if (target === null) return null;
  const fromAll = (): Maybe<RelatedLists | null> => {
    if (getAll === undefined || join.kind === "link") return null;
    const known =
      run.lists.get(target) ??
      chain(getAll(run.context), (answer) => {
        return chain(collectEntities(orThrow(answer), "The getAll handler"), (entities) => [...entities]);
      });
    run.lists.set(target, known);
    return chain(known, (entities) => joinList(mention, join, keys, entities, run));
  };
  if (queryable === undefined) return fromAll();
  return chain(resolveSource(target, queryable, run.context), (source) => {
    const { relational } = source;
    if (relational !== undefined) return readRelated(mention, join, keys, { target, relational }, run);
    if (source.entities === undefined || join.kind === "link") return fromAll();
    return joinList(mention, join, keys, source.entities(), run);
  });
}

/** Looks over a list once for what has any of the keys. */
function joinList(
  mention: NavigationMention,
  join: DirectJoin,
  keys: readonly JoinKey[],
  entities: Iterable<unknown>,
  run: LoadRun,
): RelatedLists {
  const { navigationProperty } = mention;
  const place = placeOf(mention);
  const readKey = joinKeyReader(mirrored(join), navigationProperty.entityType, undefined);
  const lists = new Map<string, object[]>(keys.map(({ identity }) => [identity, []]));
  if (keys.length === 0) return [];
  for (const entity of entities) {
    if (!isEntity(entity)) throw new TypeError(`The set behind ${place} holds a value that is no entity.`);
    const key = readKey(entity);
    const list = key === null ? undefined : lists.get(key.identity);
    if (list === undefined) continue;
    list.push(entity);
    countLoaded(run, 1, place);
  }
  return keys.map(({ identity }) => lists.get(identity) ?? []);
}

const mirrors = new WeakMap<DirectJoin, DirectJoin>();

/** The same join, seen from the related entities. */
function mirrored(join: DirectJoin): DirectJoin {
  let mirror = mirrors.get(join);
  if (mirror === undefined) {
    mirror = {
      kind: "direct",
      pairs: join.pairs.map(({ property, related }) => ({ property: related, related: property })),
    };
    mirrors.set(join, mirror);
  }
  return mirror;
}

function readRelated(
  mention: NavigationMention,
  join: NavigationJoin,
  keys: readonly JoinKey[],
  { target, relational }: { readonly target: EntitySet; readonly relational: RelationalSource },
  run: LoadRun,
): Maybe<RelatedLists> {
  if (keys.length === 0) return [];
  const { context, maxEntities } = run;
  const query: RelatedQuery = {
    shape: shapeOf(mention, join, target),
    values: [],
    keys: keys.map(({ values }) => values),
    skip: 0,
    top: undefined,
    count: false,
    maxRows: maxEntities === null ? undefined : Math.max(maxEntities - run.loaded.total, 0) + 1,
    transaction: context.transaction,
    // A getter, because a signal is dear to make and many sources never look at it.
    get signal(): AbortSignal {
      return context.signal;
    },
  };
  return chain(relational.readRelated(query), ({ related, rowShape }) => {
    const toEntity = rowReader(rowShape);
    return related.map((rows) => {
      countLoaded(run, rows.length, placeOf(mention));
      return rows.map(toEntity);
    });
  });
}

/** A mention is one object for all requests of a shape. */
const shapes = new WeakMap<NavigationMention, RelatedShape>();

function shapeOf(mention: NavigationMention, join: NavigationJoin, target: EntitySet): RelatedShape {
  let shape = shapes.get(mention);
  if (shape !== undefined) return shape;
  const { entityType } = target;
  shape = Object.freeze<RelatedShape>({
    join,
    entityType,
    filter: null,
    orderBy: totalOrder([], entityType),
    selected: wholeEntity(target),
    joined: [],
    roundingMode: "spec-compliant",
  });
  shapes.set(mention, shape);
  return shape;
}

function placeOf({ entitySet, navigationProperty }: NavigationMention): string {
  return `${entitySet.name}/${navigationProperty.name}`;
}
