import { chain, type Maybe, type Turn } from "../../base/maybe.ts";
import type { EntityType } from "../../edm/model.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import { type EntityKey, entityKeyReader } from "../entities/entity-key.ts";
import type { Reader } from "../entities/reader.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { NO_JOINS, type JoinedSteps } from "../plan/join-expansions.ts";
import type { HandlerWay, ListWay, RelatedWay, TargetWay } from "../plan/plan-related.ts";
import { parentProperties } from "../plan/properties-to-read.ts";
import { askByKey, type AskedNavigation, eachGroup } from "./ask-by-key.ts";
import { groupByKey, type JoinKey, joinKeyReader, type KeyGroup } from "./parent-keys.ts";

/** Entities of one type whose related entities are read. */
export interface Parents {
  readonly entities: readonly unknown[];
  /** The layout of rows; undefined for the application's objects. */
  readonly rowShape: RowShape | undefined;
  readonly entityType: EntityType;
  /** How often each parent will be written; once when absent. */
  readonly weights?: readonly number[] | undefined;
  /** The key of the only parent, where it is known without the entity. */
  readonly key?: EntityKey;
}

/** A navigation, with the ways to read it in order of preference. */
export interface ReadNavigation extends AskedNavigation {
  readonly ways: readonly RelatedWay[];
}

/** Converts the related entities that handlers return to the values of the reader. */
export interface AnswerReading<T> {
  /** Gets the related entities for all keys before any of them is taken; null: they are taken as they arrive. */
  readonly prepare: ((related: readonly unknown[]) => Maybe<readonly unknown[]>) | null;
  /** @param related as for `askByKey` */
  readonly take: (related: unknown, weight: number) => Maybe<T>;
  /** Reads the entities that the handlers of the parents have loaded into them; null: the reader does not use them. */
  readonly loaded: LoadedReading<T> | null;
}

interface LoadedReading<T> {
  /** Whether a value counts: a parent without one is read in the next way. Absent: each value counts. */
  readonly isLoaded?: (value: unknown) => boolean;
  readonly pick: (parents: readonly unknown[]) => readonly unknown[];
  /** @param value a loaded value, without hidden entities */
  readonly take: (value: unknown, weight: number, parent: unknown) => Maybe<T>;
}

/** Reads the target set for the distinct join keys of parents, of which there is at least one. */
export type ReadTarget<T> = (
  groups: readonly KeyGroup<JoinKey>[],
) => Maybe<Pick<RelatedFound<T>, "found"> & Partial<Pick<RelatedFound<T>, "rowShape" | "joined">>>;

/** How a reader converts related entities: `T` is its value for one parent. */
export interface RelatedReading<T> {
  /** Absent: the navigation has no handler, and nothing is loaded. */
  readonly answers?: () => Maybe<AnswerReading<T>>;
  /** Absent: the target set is not read. @returns null where the target set cannot be read by the join */
  readonly openTarget?: (way: TargetWay) => Maybe<ReadTarget<T> | null>;
  /** Absent: lists are not read. @returns null where the target set is not a list */
  readonly openList?: (way: ListWay) => Maybe<ReadTarget<T> | null>;
  /** For a parent whose join key is null. */
  readonly none: T;
  /** Whether a parent without a known join key is read in the next way. Otherwise the missing key is an error. */
  readonly mayLackKey?: boolean;
}

/** The values that were found for parents, one for each distinct key. */
export interface RelatedFound<T> {
  readonly found: readonly T[];
  /** How often each value will be written. */
  readonly weights: readonly number[];
  /** The index of each parent's value; undefined where nothing provides one. */
  readonly positions: readonly (number | undefined)[];
  /** The layout of the related entities where they are rows. */
  readonly rowShape: RowShape | undefined;
  /** The expansions of the next level that are joined to the same rows. */
  readonly joined: JoinedSteps;
}

/**
 * Reads the related entities of all parents at once: for expansions, paths in expressions, navigation routes and
 * references. For each parent, the first way that provides a value counts; a parent without any has no position.
 * @throws ODataError that a handler returned or threw; TypeError for an invalid handler result; the errors of `reading`
 * @see docs/reference/navigation.md
 */
export function readRelated<T>(
  parents: Parents,
  navigation: ReadNavigation,
  reading: RelatedReading<T>,
  reader: Reader,
): Maybe<RelatedFound<T>> {
  const { ways } = navigation;
  const [way] = ways;
  if (way === undefined) return asFound<T>([], { groups: [], positions: parents.entities.map(() => undefined) });
  return chain(readBy(way, parents, navigation, reading, reader), (found) => {
    if (found !== null && (ways.length === 1 || !found.positions.includes(undefined))) return found;
    const next = { ...navigation, ways: ways.slice(1) };
    if (found === null) return readRelated(parents, next, reading, reader);
    return readRest(parents, found, (rest) => readRelated(rest, next, reading, reader));
  });
}

/** @returns null where the way provides nothing for any parent */
function readBy<T>(
  way: RelatedWay,
  parents: Parents,
  navigation: ReadNavigation,
  reading: RelatedReading<T>,
  reader: Reader,
): Maybe<RelatedFound<T> | null> {
  if (way.kind === "target" || way.kind === "list") return readTarget(way, parents, reading, reader.turn);
  // Rows contain only their columns, so nothing was loaded into them.
  if (way.kind === "loaded" && parents.rowShape !== undefined) return null;
  return chain(reading.answers?.(), (answers) => {
    if (answers === undefined) return null;
    return way.kind === "loaded"
      ? readLoaded(parents, navigation, answers, reader)
      : askHandler(way, parents, navigation, answers, reader);
  });
}

/** Reads the parents without a value in the next way: one entity without its key must not lose the others. */
function readRest<T>(
  parents: Parents,
  first: RelatedFound<T>,
  read: (parents: Parents) => Maybe<RelatedFound<T>>,
): Maybe<RelatedFound<T>> {
  const missing = [...first.positions.keys()].filter((index) => first.positions[index] === undefined);
  const entities = missing.map((index) => parents.entities[index]);
  const weights = missing.map((index) => parents.weights?.[index] ?? 1);
  return chain(read({ ...parents, entities, weights }), (rest) => {
    const positions = [...first.positions];
    for (const [order, index] of missing.entries()) {
      const position = rest.positions[order];
      positions[index] = position === undefined ? undefined : first.found.length + position;
    }
    return {
      ...first,
      found: [...first.found, ...rest.found],
      weights: [...first.weights, ...rest.weights],
      positions,
    };
  });
}

function readTarget<T>(
  way: TargetWay | ListWay,
  { entities, entityType, rowShape, weights }: Parents,
  { openTarget, openList, none, mayLackKey }: RelatedReading<T>,
  turn: Turn | undefined,
): Maybe<RelatedFound<T> | null> {
  // The related entities of an object without its join key are unknown, so they are left out.
  const isAccepted = mayLackKey === true || (way.kind === "list" && rowShape === undefined);
  const lacking = isAccepted ? withoutKey(way, entityType, entities) : NONE;
  if (lacking.size > 0 && lacking.size === entities.length) return null;
  return chain(way.kind === "target" ? openTarget?.(way) : openList?.(way), (read) => {
    if (read === undefined || read === null) return null;
    const readKey = joinKeyReader(way.join, entityType, rowShape);
    const readJoinKey = lacking.size === 0 ? readKey : (each: unknown) => (lacking.has(each) ? null : readKey(each));
    return chain(groupByKey(entities, readJoinKey, weights, turn), (grouped) => {
      const { groups, positions } = grouped;
      return chain(groups.length === 0 ? NOTHING : read(groups), ({ found, rowShape: layout, joined }) => {
        const page = asFound<T>(found, grouped, layout, joined);
        if (!positions.includes(undefined)) return page;
        return {
          ...page,
          found: [...found, none],
          weights: [...page.weights, 0],
          positions: positions.map((position, index) =>
            lacking.has(entities[index]) ? undefined : (position ?? found.length),
          ),
        };
      });
    });
  });
}

const NOTHING = Object.freeze({ found: [], rowShape: undefined, joined: NO_JOINS });
const NONE: ReadonlySet<unknown> = new Set();

/** Finds the entities whose join key is unknown: handlers may leave out ignored properties. */
function withoutKey(
  { join }: TargetWay | ListWay,
  { ignoredProperties }: EntityType,
  entities: readonly unknown[],
): ReadonlySet<unknown> {
  const ignored = parentProperties(join).filter((property) => ignoredProperties.includes(property));
  if (ignored.length === 0) return NONE;
  const lacks = (entity: unknown): boolean =>
    ignored.some(({ field }) => fieldOf(Object(entity) as object, field) === undefined);
  return new Set(entities.filter(lacks));
}

/** Calls the handler of a navigation once for each key, or once for all of them. */
function askHandler<T>(
  way: HandlerWay,
  { entities, entityType, rowShape, weights, key }: Parents,
  navigation: ReadNavigation,
  { take, prepare }: AnswerReading<T>,
  reader: Reader,
): Maybe<RelatedFound<T>> {
  const readKey = key === undefined ? entityKeyReader(entityType, rowShape) : () => key;
  return chain(groupByKey(entities, readKey, weights, reader.turn), (grouped) => {
    const { groups } = grouped;
    const found =
      prepare === null
        ? askByKey(way, groups, navigation, (related, { weight }) => take(related, weight), reader)
        : chain(
            askByKey(way, groups, navigation, (related) => related, reader),
            (all) =>
              chain(prepare(all), (prepared) =>
                eachGroup([...groups.entries()], ([index, { weight }]) => take(prepared[index], weight), reader),
              ),
          );
    return chain(found, (taken) => asFound(taken, grouped));
  });
}

/** Reads the entities that the handlers of the parents have loaded into them. */
function readLoaded<T>(
  { entities, weights }: Parents,
  navigation: ReadNavigation,
  { prepare, loaded }: AnswerReading<T>,
  reader: Reader,
): Maybe<RelatedFound<T> | null> {
  if (loaded === null) return null;
  const values = loaded.pick(entities);
  return chain(reader.gate?.keepValues(navigation, values, reader.context) ?? values, (seen) =>
    chain(prepare?.(seen) ?? seen, (prepared) => {
      const indexes = [...entities.keys()].filter((index) => loaded.isLoaded?.(prepared[index]) !== false);
      const groups = indexes.map((index) => ({ weight: weights?.[index] ?? 1 }));
      const order = new Map(indexes.map((index, position) => [index, position]));
      const positions = Array.from(entities.keys(), (index) => order.get(index));
      const take = (index: number): Maybe<T> => loaded.take(prepared[index], weights?.[index] ?? 1, entities[index]);
      return chain(eachGroup(indexes, take, reader), (found) => asFound(found, { groups, positions }));
    }),
  );
}

function asFound<T>(
  found: readonly T[],
  { groups, positions }: FoundGroups,
  rowShape?: RowShape,
  joined: JoinedSteps = NO_JOINS,
): RelatedFound<T> {
  return { found, weights: groups.map(({ weight }) => weight), positions, rowShape, joined };
}

interface FoundGroups extends Pick<RelatedFound<unknown>, "positions"> {
  readonly groups: ReadonlyArray<{ readonly weight: number }>;
}
