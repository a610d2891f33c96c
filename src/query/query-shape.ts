import type { QueryShape } from "./clauses.ts";

/** A bounded cache of shapes. */
export interface ShapeCache {
  get(key: string): QueryShape | undefined;
  set(key: string, shape: QueryShape): void;
}

/**
 * Returns the key of a query shape: its parts, each with its length as a prefix, so that different parts never give the
 * same key.
 * @param parts the name of the set, then the shape of each option; undefined for an absent option
 */
export function shapeKey(parts: readonly (string | undefined)[]): string {
  let key = "";
  for (const part of parts) key += part === undefined ? "-" : `${part.length}:${part}`;
  return key;
}
