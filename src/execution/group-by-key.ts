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
  return positions.map((position) => (position === undefined ? none : (found[position] ?? none)));
}
