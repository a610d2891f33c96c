/** A part of two lists that differs: where it begins and how long it is in each, and its items. */
interface Difference {
  readonly buffer1: readonly [start: number, length: number];
  readonly buffer1Content: readonly string[];
  readonly buffer2: readonly [start: number, length: number];
  readonly buffer2Content: readonly string[];
}

/** Returns the differences of two lists, by their longest common sequence. */
export declare const diffIndices: (one: readonly string[], other: readonly string[]) => readonly Difference[];
