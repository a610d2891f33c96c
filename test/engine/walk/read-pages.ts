import type { WalkedSet } from "./read-model.ts";
import { valueOf, type Entity, type Walk } from "./walk.ts";

/** A walk reads so many entities of a set at most. */
const MOST_ENTITIES = 2000;
/** Each collection is read in about so many pages. */
const PAGES = 3;

/** A set, and the entities that a walk read from its pages. */
export interface ReadSet {
  readonly set: WalkedSet;
  readonly path: string;
  /** Every entity, or the first ones. */
  readonly entities: readonly Entity[];
  /** The number of all entities; undefined if it is unknown. */
  readonly total: number | undefined;
}

/** Reads a collection to its end, page by page. @returns undefined if a page is refused */
export async function readPages(walk: Walk, path: string, total = 0): Promise<readonly Entity[] | undefined> {
  const pageSize = Math.max(1, Math.ceil(total / PAGES));
  const entities: Entity[] = [];
  let next: string | undefined = path;
  while (next !== undefined && entities.length < MOST_ENTITIES) {
    const page: Entity | undefined = await walk.json(next, pageSize);
    if (page === undefined) return undefined;
    entities.push(...valueOf(page));
    next = page["@odata.nextLink"] as string | undefined;
  }
  return entities;
}

/** Judges whether pages have each entity once. */
export function judgePages(walk: Walk, { set, entities, total }: ReadSet, path: string): void {
  if (total !== undefined && total < MOST_ENTITIES && entities.length !== total) {
    walk.fault(path, `${String(entities.length)} entities in pages, but $count is ${String(total)}`);
  }
  const keys = entities.map((entity) => JSON.stringify(set.key.map(({ name }) => entity[name])));
  if (set.key.length > 0 && new Set(keys).size < keys.length) walk.fault(path, "pages repeat a key");
}
