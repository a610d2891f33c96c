import type { Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import { EntityIterator } from "../entities/entity-iterator.ts";
import { gateOf, type Reader } from "../entities/reader.ts";
import { applyClauses } from "../memory/apply-query.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { type CollectionPlan, planMentions } from "../plan/plan-collection.ts";
import { ruleFollowsNavigations } from "./gate.ts";

/** How the entities of an iterable become those of a page. */
export interface IterableRead {
  /** The clauses to apply; a filter that mentions no related entities. `top` is the number of entities after which it is closed. */
  readonly query: Pick<SourceQuery, "shape" | "values" | "filter" | "skip"> & { readonly top: number };
  /** The set whose row rule applies; null: none does. */
  readonly ruled: EntitySet | null;
  readonly reader: Reader;
}

/** The number of entities that are requested at a time, if not all of them reach the page. */
const CHUNK = 250;

/**
 * Whether the entities of a `getAll` handler can become those of a page one after another: nothing orders or counts them, or
 * leads to other entities.
 */
export function canFilterInOrder(plan: CollectionPlan, entitySet: EntitySet, reader: Reader): boolean {
  const { orderBy, query, expand } = plan;
  if (orderBy.length > 0 || query.count || expand !== null) return false;
  return planMentions(query.shape) === null && !ruleFollowsNavigations(entitySet, reader);
}

/** Plans the read of an iterable in its order. @param top the most entities to read */
export function iterableRead(
  { query, skip }: CollectionPlan,
  top: number,
  entitySet: EntitySet,
  reader: Reader,
): IterableRead {
  const { shape, values } = query;
  const ruled = gateOf(entitySet, reader) === null ? null : entitySet;
  return { query: { shape, values, filter: shape.filter, skip, top }, ruled, reader };
}

/**
 * Reads a page of an async iterable of the application: hidden entities are left out, then `$filter`, `$skip` and `$top`
 * apply. No more entities are requested than the page needs. Then the iterable is closed.
 * @throws errors of the iterable, and of the row rule; the reason of the signal
 */
export async function readIterable(
  entities: AsyncIterable<unknown>,
  { query, ruled, reader }: IterableRead,
): Promise<readonly unknown[]> {
  const iterator = new EntityIterator(entities, reader);
  const evaluation = new Evaluation(query.values);
  const clauses = { ...query, orderBy: [], skip: 0, top: undefined, count: false };
  const isWhole = query.filter === null && ruled === null;
  const page: unknown[] = [];
  let skipped = 0;
  try {
    while (!iterator.isOver && page.length < query.top) {
      const needed = query.skip - skipped + query.top - page.length;
      const chunk = await iterator.pull(isWhole ? Math.min(CHUNK, needed) : CHUNK);
      const found = applyClauses(await keptOf(chunk, ruled, reader), clauses, evaluation).entities;
      const left = Math.min(query.skip - skipped, found.length);
      skipped += left;
      page.push(...found.slice(left, left + query.top - page.length));
    }
    return page;
  } finally {
    iterator.close();
  }
}

function keptOf(chunk: readonly unknown[], ruled: EntitySet | null, reader: Reader): Maybe<Iterable<unknown>> {
  const { gate, context } = reader;
  return ruled === null || gate === null ? chunk : gate.keep(ruled, chunk, context);
}
