import { chain, type Maybe, isPromiseLike } from "../../base/maybe.ts";
import type { AppliedQuery } from "../../definition/handlers.ts";
import {
  type CollectionResult,
  collectEntities,
  isAsyncIterable,
  isIterable,
  withoutPromises,
} from "../entities/handler-answer.ts";
import type { Reader } from "../entities/reader.ts";
import { NO_JOINS } from "../plan/join-expansions.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import { readIterable } from "./read-iterable.ts";

/** The result of an `applyQuery` handler, checked. */
interface AppliedPage extends Omit<AppliedQuery, "nextLink"> {
  readonly nextLink: string | undefined;
  /** The page size to which the service cuts the items; undefined: the handler has cut them. */
  readonly size: number | undefined;
}

/**
 * Makes the page of a set that applied the query itself. The next link of the handler takes priority. Without one, and without
 * `$top` or where the service divides the page, the items are cut to the page, an iterable is closed there, and more items or
 * a greater total lead to a next link.
 * @throws TypeError for an invalid result, and for one without the `count` that the request wants, if the service divides the page
 *   and its items do not show the total; as for `collectEntities`
 * @see OData Protocol 4.0, section 11.2.5.7
 */
export function appliedPage(plan: CollectionPlan, answer: AppliedQuery, reader: Reader): Maybe<CollectionResult> {
  const applied = checkApplied(plan, answer);
  return chain(itemsOf(applied, plan, reader), (items) => cutItems(plan, applied, items));
}

/** Returns the items of a page: no more than it needs. */
function itemsOf(
  { items, size }: AppliedPage,
  { page, query }: CollectionPlan,
  reader: Reader,
): Maybe<readonly unknown[]> {
  const { readSize: top } = page;
  if (size === undefined || top === undefined || Array.isArray(items)) {
    const all = collectEntities(items, HANDLER, reader);
    return chain(all, (each) => Array.from(each));
  }
  if (isIterable(items)) return firstOf(items, top);
  const clauses = { shape: query.shape, values: [], filter: null, skip: 0, top };
  return readIterable(items, { query: clauses, ruled: null, reader });
}

const HANDLER = "The applyQuery handler";

/** Returns the first entities of an iterable, which is then closed. */
function firstOf(entities: Iterable<unknown>, most: number): readonly unknown[] {
  const first: unknown[] = [];
  if (most === 0) return first;
  for (const entity of entities) {
    first.push(entity);
    if (first.length === most) break;
  }
  return first;
}

function checkApplied(plan: CollectionPlan, answer: AppliedQuery): AppliedPage {
  // JavaScript handlers may return anything.
  const items: unknown = (answer as Partial<AppliedQuery> | null | undefined)?.items;
  if (!isIterable(items) && !isAsyncIterable(items)) {
    const fix = isPromiseLike(items)
      ? "its `items` is a promise: await it."
      : "return its page as an array or iterable.";
    throw new TypeError(`The applyQuery handler did not return { items }: ${fix}`);
  }
  const nextLink = answer.nextLink ?? undefined;
  // Both are written to the envelope unchanged.
  if (nextLink !== undefined && typeof nextLink !== "string") {
    throw new TypeError("nextLink of applyQuery is not a string.");
  }
  if (!isCount(answer.count ?? 0)) throw new TypeError("count of applyQuery is not a whole number of 0 or more.");
  const size = nextLink === undefined && plan.page.linked ? plan.page.size : undefined;
  return { items, count: answer.count ?? undefined, nextLink, size };
}

function cutItems(
  plan: CollectionPlan,
  { nextLink, size, count }: AppliedPage,
  given: readonly unknown[],
): CollectionResult {
  const items = withoutPromises(given, HANDLER);
  const entities = size === undefined ? items : items.slice(0, size);
  const { length } = entities;
  const { isDivided } = plan.page;
  // Only the service divides the page: a handler that returns less has returned all that the request wants.
  const isCounted = !isDivided || length === size;
  const hasMore = size !== undefined && (items.length > length || (isCounted && countsMore(count, plan.skip, length)));
  return {
    entities,
    rowShape: undefined,
    count: plan.query.count ? (count ?? shownCount(plan, size, items.length)) : undefined,
    hasMore,
    nextLink,
    joined: NO_JOINS,
  };
}

/**
 * Returns the count where the handler returned none. Items after the page do not show how many follow them, because the
 * handler got `pageSize`, and an iterable is not read further. No items after `$skip` do not show how many were skipped.
 * @param found the number of items that were read
 * @throws TypeError if the service divides the page, and the total is unknown
 */
function shownCount({ page, skip }: CollectionPlan, size: number | undefined, found: number): number {
  if (size === undefined) return found;
  if (!page.isDivided) return Math.min(found, size);
  if (found <= size && (found > 0 || skip === 0)) return skip + found;
  throw new TypeError(
    "applyQuery returned no count, and the request needs the total of all pages: return { items, count } if `count` of the query is true.",
  );
}

/**
 * Whether the total of a handler exceeds the entities read so far. An empty page has no next link: it would return the same
 * page.
 */
function countsMore(count: number | bigint | undefined, skip: number, length: number): boolean {
  return length > 0 && count !== undefined && count > skip + length;
}

function isCount(value: unknown): boolean {
  return typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && Number(value) >= 0;
}
