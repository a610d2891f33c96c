import { chain, type Maybe, isPromiseLike } from "../../base/maybe.ts";
import type { AppliedQuery, CollectionQuery } from "../../definition/handlers.ts";
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
import { CollectionStream, countsMore, HandlerStream } from "./collection-stream.ts";

/** The result of an `applyQuery` handler, checked. */
interface AppliedPage extends Omit<AppliedQuery, "nextLink"> {
  readonly nextLink: string | undefined;
  /** The page size to which the service cuts the items; undefined: the handler has cut them. */
  readonly size: number | undefined;
}

/** How the items are read. */
interface AppliedRead {
  readonly reader: Reader;
  /** Whether the response may contain items before all of them are read. */
  readonly mayStream: boolean;
}

/**
 * Makes the page of a set that applied the query itself. The next link of the handler takes priority. Without one, and
 * without `$top`, the items are cut to the page size, and more items or a greater total lead to a next link.
 * @throws TypeError for an invalid result; as for `collectEntities`
 * @see OData Protocol 4.0, section 11.2.5.7
 */
export function appliedPage(
  plan: CollectionPlan,
  query: CollectionQuery,
  answer: AppliedQuery,
  { reader, mayStream }: AppliedRead,
): Maybe<CollectionResult | CollectionStream> {
  const applied = checkApplied(plan, query, answer);
  const { items, count } = applied;
  const isCountKnown = !plan.query.count || count !== undefined;
  if (mayStream && isCountKnown && isAsyncIterable(items)) return streamItems(plan, applied, items, reader);
  const all = collectEntities(items, "The applyQuery handler", reader);
  return chain(all, (each) => cutItems(plan, applied, Array.isArray(each) ? each : [...each]));
}

function checkApplied(plan: CollectionPlan, query: CollectionQuery, answer: AppliedQuery): AppliedPage {
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
  const size = nextLink === undefined && plan.page.linked ? (query.pageSize ?? undefined) : undefined;
  return { items, count: answer.count ?? undefined, nextLink, size };
}

function cutItems(
  plan: CollectionPlan,
  { nextLink, size, count }: AppliedPage,
  given: readonly unknown[],
): CollectionResult {
  const items = withoutPromises(given, "The applyQuery handler");
  const entities = size === undefined ? items : items.slice(0, size);
  const { length } = entities;
  const hasMore = size !== undefined && (items.length > length || countsMore(count, plan.skip, length));
  return {
    entities,
    rowShape: undefined,
    count: plan.query.count ? (count ?? length) : undefined,
    hasMore,
    nextLink,
    joined: NO_JOINS,
  };
}

function streamItems(
  plan: CollectionPlan,
  { nextLink, size, count }: AppliedPage,
  items: AsyncIterable<unknown>,
  reader: Reader,
): CollectionStream {
  const readSize = size === undefined ? undefined : size + 1;
  const page = { ...plan.page, size, readSize, linked: size !== undefined };
  const query = { shape: plan.query.shape, values: [], filter: null, skip: 0, top: readSize };
  const stream = new HandlerStream(items, { query, ruled: null, reader });
  return new CollectionStream({ ...plan, page }, stream, { joined: NO_JOINS, total: null, count, nextLink });
}

function isCount(value: unknown): boolean {
  return typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && Number(value) >= 0;
}
