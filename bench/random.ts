/** Numbers that are the same in every run. */
export interface Random {
  /** A whole number from 0 to `bound - 1`. */
  below(bound: number): number;
  /** One of the items. */
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Makes a generator (mulberry32) that returns the same sequence for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}
