import { type Maybe, inTurns, type Pace, type Steps, type Turn } from "../../base/maybe.ts";
import { keptPer, keptPerPair } from "../../base/memo.ts";
import type { DirectJoin, EntityType, NavigationJoin, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import {
  cellReader,
  compileValueReader,
  identityOf,
  identityOfValue,
  type ValueGetter,
} from "../entities/entity-key.ts";
import { parentProperties } from "../plan/properties-to-read.ts";

/** Has an identity, which is equal for equal keys. */
interface Identified {
  /** The same string for equal keys. */
  readonly identity: string;
}

/** Entities with equal keys. */
export interface KeyGroup<K extends Identified> {
  readonly key: K;
  /** The sum of their weights. */
  readonly weight: number;
}

/** Entities by their keys. */
interface KeyGroups<K extends Identified> {
  /** Each key once, in the order of first occurrence. */
  readonly groups: readonly KeyGroup<K>[];
  /** The index of each entity's group; undefined for an entity without a key. */
  readonly positions: readonly (number | undefined)[];
}

/** The number of entities between two readings of the clock. */
const SLICE = 64;

const NO_KEY: KeyGroups<never> = Object.freeze({ groups: [], positions: [undefined] });

/**
 * Groups entities by key, so that each key is read once.
 * @param readKey returns null for an entity without related entities
 * @param weights how often each entity counts; once when absent
 * @param turn the present piece of work
 */
export function groupByKey<K extends Identified>(
  entities: readonly unknown[],
  readKey: (entity: unknown) => K | null,
  weights?: readonly number[],
  turn?: Turn,
): Maybe<KeyGroups<K>> {
  if (entities.length === 1) {
    const key = readKey(entities[0]);
    return key === null ? NO_KEY : { groups: [{ key, weight: weights?.[0] ?? 1 }], positions: [0] };
  }
  return inTurns((pace) => groupSteps(entities, readKey, weights, pace), turn);
}

function* groupSteps<K extends Identified>(
  entities: readonly unknown[],
  readKey: (entity: unknown) => K | null,
  weights: readonly number[] | undefined,
  pace: Pace,
): Steps<KeyGroups<K>> {
  const byIdentity = new Map<string, number>();
  const groups: { readonly key: K; weight: number }[] = [];
  const positions: (number | undefined)[] = [];
  for (const [index, entity] of entities.entries()) {
    if ((index + 1) % SLICE === 0 && pace.isOver) yield;
    const key = readKey(entity);
    const known = key === null ? undefined : byIdentity.get(key.identity);
    const group = known === undefined ? undefined : groups[known];
    const weight = weights?.[index] ?? 1;
    if (group !== undefined) {
      group.weight += weight;
    } else if (key !== null) {
      byIdentity.set(key.identity, groups.length);
      groups.push({ key, weight });
    }
    positions.push(key === null ? undefined : (known ?? groups.length - 1));
  }
  return { groups, positions };
}

/**
 * Returns for each entity the value that was found for its group.
 * @param found in the order of the groups
 * @param none the value for an entity without a group
 */
export function perEntity<T>(
  { positions }: Pick<KeyGroups<Identified>, "positions">,
  found: readonly T[],
  none: T,
): readonly T[] {
  return positions.map((position) => {
    const one = position === undefined ? undefined : found[position];
    // Null is a found value: the parent has no related entity.
    if (one === undefined) return none;
    return one;
  });
}

/** The values by which the related entities of a parent are found. */
export interface JoinKey {
  /** In the order of the join. */
  readonly values: readonly PrimitiveValue[];
  /** The same string for equal values. */
  readonly identity: string;
}

/** Reads the join key of a parent; null where one of its values is null, so that nothing is related to the parent. */
type JoinKeyReader = (entity: unknown) => JoinKey | null;

const objectKeys = keptPerPair((join: NavigationJoin, type: EntityType) =>
  compileJoinKey(join, (property) => {
    const read = compileValueReader(type, property, undefined);
    return (entity) => read(entity) ?? absent(property, type);
  }),
);
const rowKeys = keptPerPair((join: NavigationJoin, rowShape: RowShape) =>
  compileJoinKey(join, (property) => cellReader(property, rowShape)),
);

/**
 * Returns the reader of the join key of a parent, made once per join and layout.
 * @param entityType the type of the parents
 * @param rowShape the layout of rows; undefined for the application's objects
 * @returns a reader that throws TypeError for a parent with an invalid or missing value. A missing value must not pass
 *   for null, because that would hide the handler's mistake
 */
export function joinKeyReader(
  join: NavigationJoin,
  entityType: EntityType,
  rowShape: RowShape | undefined,
): JoinKeyReader {
  return rowShape === undefined ? objectKeys(join, entityType) : rowKeys(join, rowShape);
}

function compileJoinKey(join: NavigationJoin, readerOf: (property: StructuralProperty) => ValueGetter): JoinKeyReader {
  const parts = parentProperties(join).map((property) => [property, readerOf(property)] as const);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return compileSingleKey(...only);
  return (entity) => {
    const pairs = parts.map(([property, read]) => [property, read(entity)] as const);
    const complete = pairs.flatMap(([property, value]) => (value === null ? [] : [[property, value] as const]));
    if (complete.length < pairs.length) return null;
    return { values: complete.map(([, value]) => value), identity: identityOf(complete) };
  };
}

function compileSingleKey(property: StructuralProperty, read: ValueGetter): JoinKeyReader {
  return (entity) => {
    const value = read(entity);
    return value === null ? null : { values: [value], identity: identityOfValue(codecOf(property), value) };
  };
}

function absent({ nullable, field }: StructuralProperty, { name }: EntityType): null {
  if (nullable) return null;
  throw new TypeError(
    `A handler returned an entity of type ${name} without its ${field}, which related entities are found by.`,
  );
}

/** Returns a join in the opposite direction. Statements know joins by their identity. */
export const mirrored: (join: DirectJoin) => DirectJoin = keptPer(({ pairs }) => ({
  kind: "direct",
  pairs: pairs.map(({ property, related }) => ({ property: related, related: property })),
}));
