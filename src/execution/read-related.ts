import { chain, type Maybe } from "../base/maybe.ts";
import type { EntityType } from "../edm/model.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { NO_JOINS, type JoinedSteps } from "../plan/join-expansions.ts";
import { parentProperties, type PathStep, type RelatedWay, type TargetWay } from "../plan/plan-related.ts";
import type { RowShape } from "../query/row-shape.ts";
import { askByKey, eachGroup, type HandlerWay } from "./ask-by-key.ts";
import { entityKeyReader } from "./entity-key.ts";
import type { ReadRun } from "./load-run.ts";
import { groupByKey, type JoinKey, joinKeyReader, type KeyGroup } from "./parent-keys.ts";

/** Entities of one type whose related entities are read. */
export interface Parents {
  readonly entities: readonly unknown[];
  /** The layout of rows; undefined for the application's objects. */
  readonly rowShape: RowShape | undefined;
  readonly entityType: EntityType;
  /** How often each parent will be written; once when absent. */
  readonly weights?: readonly number[] | undefined;
}

/** A navigation, with the ways to read it in order of preference. */
export interface ReadNavigation extends PathStep {
  readonly ways: readonly RelatedWay[];
  /** Set and navigation property, for messages: `Countries/Cities`. */
  readonly place: string;
}

/** Converts the results of handlers to the values of the reader. */
export interface AnswerReading<T> {
  /** Gets all results before any of them is taken; null: each is taken as it arrives. */
  readonly prepare: ((answers: readonly unknown[]) => Maybe<readonly unknown[]>) | null;
  /** @param answer the handler's result for one key; undefined where a batch has no entry */
  readonly take: (answer: unknown, weight: number) => Maybe<T>;
  /** Returns the related entities that the handlers of the parents have loaded into them. */
  readonly pick: (parents: readonly unknown[]) => readonly unknown[];
  /** @param value a loaded value, without hidden entities */
  readonly takeLoaded: (value: unknown, weight: number, parent: unknown) => T;
}

/** Reads the target set for the distinct join keys of parents. */
export type ReadTarget<T> = (groups: readonly KeyGroup<JoinKey>[]) => Maybe<Omit<RelatedFound<T>, "positions">>;

/** How a reader converts related entities: `T` is its value for one parent. */
export interface RelatedReading<T> {
  readonly answers: () => Maybe<AnswerReading<T>>;
  /** @returns null where the target set cannot be read by the join */
  readonly openTarget: (way: TargetWay) => Maybe<ReadTarget<T> | null>;
  /** For a parent whose join key is null. */
  readonly none: T;
  /** Whether a parent without a known join key is read in the next way. Otherwise the missing key is an error. */
  readonly mayLackKey: boolean;
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
  run: ReadRun,
): Maybe<RelatedFound<T>> {
  const [way, ...ways] = navigation.ways;
  if (way === undefined) return nothingFor(parents);
  const next = { ...navigation, ways };
  return chain(readBy(way, parents, navigation, reading, run), (found) => {
    if (found === null) return readRelated(parents, next, reading, run);
    if (ways.length === 0 || !found.positions.includes(undefined)) return found;
    return readRest(parents, found, (rest) => readRelated(rest, next, reading, run));
  });
}

function readBy<T>(
  way: RelatedWay,
  parents: Parents,
  navigation: ReadNavigation,
  reading: RelatedReading<T>,
  run: ReadRun,
): Maybe<RelatedFound<T> | null> {
  if (way.kind === "target") return readTarget(way, parents, reading);
  // Rows contain only their columns, so nothing was loaded into them.
  if (way.kind === "loaded" && parents.rowShape !== undefined) return nothingFor(parents);
  return chain(reading.answers(), (answers) =>
    way.kind === "loaded"
      ? readLoaded(parents, navigation, answers, run)
      : askHandler(way, parents, navigation, answers, run),
  );
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
  way: TargetWay,
  { entities, entityType, rowShape, weights }: Parents,
  reading: RelatedReading<T>,
): Maybe<RelatedFound<T> | null> {
  const lacking = reading.mayLackKey ? withoutKey(way, entityType, entities) : NONE;
  if (lacking.size > 0 && lacking.size === entities.length) return null;
  return chain(reading.openTarget(way), (read) => {
    if (read === null) return null;
    const readKey = joinKeyReader(way.join, entityType, rowShape);
    const { groups, positions } = groupByKey(entities, (each) => (lacking.has(each) ? null : readKey(each)), weights);
    return chain(read(groups), (page) => {
      if (!positions.includes(undefined)) return { ...page, positions };
      const { length } = page.found;
      return {
        ...page,
        found: [...page.found, reading.none],
        weights: [...page.weights, 0],
        positions: positions.map((position, index) =>
          lacking.has(entities[index]) ? undefined : (position ?? length),
        ),
      };
    });
  });
}

const NONE: ReadonlySet<unknown> = new Set();

/** Finds the entities whose join key is unknown: handlers may leave out ignored properties. */
function withoutKey(
  { join }: TargetWay,
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
  { entities, entityType, rowShape, weights }: Parents,
  navigation: ReadNavigation,
  { take, prepare }: AnswerReading<T>,
  run: ReadRun,
): Maybe<RelatedFound<T>> {
  const { groups, positions } = groupByKey(entities, entityKeyReader(entityType, rowShape), weights);
  const of = { ...navigation, entityType };
  const found =
    prepare === null
      ? askByKey(way, groups, of, (answer, { weight }) => take(answer, weight), run)
      : chain(
          askByKey(way, groups, of, (answer) => answer, run),
          (answers) =>
            chain(prepare(answers), (prepared) =>
              eachGroup([...groups.entries()], ([index, { weight }]) => take(prepared[index], weight), run),
            ),
        );
  return chain(found, (taken) => ({ ...asFound(taken, groups), positions }));
}

/** Reads the entities that the handlers of the parents have loaded into them. */
function readLoaded<T>(
  parents: Parents,
  navigation: ReadNavigation,
  { pick, prepare, takeLoaded }: AnswerReading<T>,
  { context, gate }: ReadRun,
): Maybe<RelatedFound<T>> {
  const { entities, weights } = parents;
  const values = pick(entities);
  return chain(gate?.keepValues(navigation, values, context) ?? values, (seen) =>
    chain(prepare?.(seen) ?? seen, (prepared) => {
      const groups = entities.map((_entity, index) => ({ weight: weights?.[index] ?? 1 }));
      const found = groups.map(({ weight }, index) => takeLoaded(prepared[index], weight, entities[index]));
      return { ...asFound(found, groups), positions: [...entities.keys()] };
    }),
  );
}

function nothingFor<T>({ entities }: Parents): RelatedFound<T> {
  return { ...asFound<T>([], []), positions: entities.map(() => undefined) };
}

function asFound<T>(
  found: readonly T[],
  groups: readonly { readonly weight: number }[],
): Omit<RelatedFound<T>, "positions"> {
  return { found, weights: groups.map(({ weight }) => weight), rowShape: undefined, joined: NO_JOINS };
}
