import type { QueryShape } from "./clauses.ts";

/** Where shapes are kept between requests; bounded by whoever implements it. */
export interface ShapeCache {
  get(key: string): QueryShape | undefined;
  set(key: string, shape: QueryShape): void;
}

/**
 * The key of a query shape: the parts that make it, each with its length before it, so that no text of one part can
 * pass for another.
 * @param parts the name of the set, then for each option its text with literals cut out; undefined for an absent one
 */
export function shapeKey(parts: readonly (string | undefined)[]): string {
  let key = "";
  for (const part of parts) key += part === undefined ? "-" : `${part.length}:${part}`;
  return key;
}
