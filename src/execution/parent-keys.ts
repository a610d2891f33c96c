import { keeper, keptPer, keptPerPair } from "../base/memo.ts";
import type { DirectJoin, EntityType, NavigationJoin, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { parentProperties } from "../plan/plan-related.ts";
import type { RowShape } from "../query/row-shape.ts";
import { cellReader, compileValueReader, identityOf, type ValueReader } from "./entity-key.ts";

/** What tells whether two entities have one key. */
interface Identified {
  /** The same text for keys that are equal. */
  readonly identity: string;
}

/** Entities that have one key. */
export interface KeyGroup<K extends Identified> {
  readonly key: K;
  /** The sum of their weights. */
  readonly weight: number;
}

/** Entities by their keys. */
export interface KeyGroups<K extends Identified> {
  /** Each key once, in the order in which they come. */
  readonly groups: readonly KeyGroup<K>[];
  /** For each entity which group is its own; undefined where it has no key. */
  readonly positions: readonly (number | undefined)[];
}

/**
 * Groups entities, so that whatever is found by a key is asked for once.
 * @param readKey answers null for an entity to which nothing belongs
 * @param weights how often each entity counts; once when absent
 */
export function groupByKey<K extends Identified>(
  entities: readonly unknown[],
  readKey: (entity: unknown) => K | null,
  weights?: readonly number[],
): KeyGroups<K> {
  const byIdentity = new Map<string, number>();
  const groups: { readonly key: K; weight: number }[] = [];
  const positions = entities.map((entity, index) => {
    const key = readKey(entity);
    if (key === null) return undefined;
    const weight = weights?.[index] ?? 1;
    const known = byIdentity.get(key.identity);
    const group = known === undefined ? undefined : groups[known];
    if (group !== undefined) {
      group.weight += weight;
      return known;
    }
    byIdentity.set(key.identity, groups.length);
    return groups.push({ key, weight }) - 1;
  });
  return { groups, positions };
}

/**
 * Hands every entity what was found for its group.
 * @param found in the order of the groups
 * @param none what an entity gets for which nothing was found
 */
export function perEntity<T>(
  { positions }: Pick<KeyGroups<Identified>, "positions">,
  found: readonly T[],
  none: T,
): readonly T[] {
  return positions.map((position) => {
    const one = position === undefined ? undefined : found[position];
    // Null is what was found, where there is nothing.
    if (one === undefined) return none;
    return one;
  });
}

/** By what the related entities of a parent are found. */
export interface JoinKey {
  /** In the order of the join. */
  readonly values: readonly PrimitiveValue[];
  /** The same text for values that are equal. */
  readonly identity: string;
}

/** Reads the join key of a parent; null where one of its values is null: nothing is related to it. */
export type JoinKeyReader = (entity: unknown) => JoinKey | null;

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
 * The reader of what a join finds related entities by: made once per join and layout.
 * @param entityType the type of the parents
 * @param rowShape the layout of the parents when they are rows; otherwise they are the application's objects
 * @returns a reader that throws TypeError for a parent with a value that is none of its property's type, or without one
 *   that it must have: to take it for one that nothing is related to would hide what the handler left out
 */
export function joinKeyReader(
  join: NavigationJoin,
  entityType: EntityType,
  rowShape: RowShape | undefined,
): JoinKeyReader {
  return rowShape === undefined ? objectKeys(join, entityType) : rowKeys(join, rowShape);
}

function compileJoinKey(join: NavigationJoin, readerOf: (property: StructuralProperty) => ValueReader): JoinKeyReader {
  const parts = parentProperties(join).map((property) => [property, readerOf(property)] as const);
  return (entity) => {
    const pairs = parts.map(([property, read]) => [property, read(entity)] as const);
    const complete = pairs.flatMap(([property, value]) => (value === null ? [] : [[property, value] as const]));
    if (complete.length < pairs.length) return null;
    return { values: complete.map(([, value]) => value), identity: identityOf(complete) };
  };
}

function absent({ nullable, field }: StructuralProperty, { name }: EntityType): null {
  if (nullable) return null;
  throw new TypeError(`A handler returned an entity of type ${name} without its ${field}, by which others are found.`);
}

/** Returns the same join as the related entities see it: the same object for a join each time. */
export const mirrored: (join: DirectJoin) => DirectJoin = keptPer(({ pairs }) =>
  keeper<DirectJoin>({
    kind: "direct",
    pairs: pairs.map(({ property, related }) => ({ property: related, related: property })),
  }),
);
