import type { EntitySetHandlers } from "../definition/handlers.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { BoundQuery, OrderByItem, SelectedProperty } from "../query/clauses.ts";
import { planPaging, type PagePlan } from "./plan-paging.ts";
import { MAX_SKIP_TOKEN_OFFSET, readSkipToken, writeSkipToken } from "./skip-token.ts";
import { totalOrder } from "./total-order.ts";

/** The form in which a set is read as a collection, by precedence. @see decisions, Reading */
export type ReadForm = "profile-applied" | "queryable" | "get-all";

/** Who does what for one read of a collection. */
export interface CollectionPlan {
  readonly form: ReadForm;
  readonly query: BoundQuery;
  /** Absolute offset of the first row of the page. */
  readonly skip: number;
  readonly page: PagePlan;
  /** The properties that the answer needs. */
  readonly selected: readonly SelectedProperty[];
  /** Whether the count leaves out what `$skip` does. */
  readonly countsAfterSkip: boolean;
  /** The order to apply: total, or empty for the order of a handler that answers without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
}

/** What a request asks of a page beside its query. */
export interface PageRequest {
  /** The preference `maxpagesize`; undefined when not sent. */
  readonly maxPageSize: number | undefined;
  /** The properties that the answer needs. */
  readonly selected: readonly SelectedProperty[];
  /** Whether the count is taken after `$skip`, as on navigation routes; otherwise before. */
  readonly countsAfterSkip?: boolean | undefined;
}

/** The form in which a set is read; undefined when no handler for it is declared. */
export function readForm(handlers: EntitySetHandlers<never>): ReadForm | undefined {
  if (handlers.applyQuery !== undefined) return "profile-applied";
  if (handlers.queryable !== undefined) return "queryable";
  return handlers.getAll === undefined ? undefined : "get-all";
}

/**
 * Plans the read of one page of a collection.
 * @param query the bound query of the request
 * @param request the preference of the client, and what its answer needs
 * @throws ODataError `InvalidQueryOption` for a `$top` above MaxTop, or `$skip` beside `$skiptoken`;
 *   `InvalidSkipToken`
 * @see specification, Collection read
 */
export function planCollection(
  form: ReadForm,
  query: BoundQuery,
  capabilities: Capabilities,
  request: PageRequest,
): CollectionPlan {
  const { shape } = query;
  return {
    form,
    query,
    selected: request.selected,
    skip: startOffset(query),
    page: planPaging({ top: query.top, maxPageSize: request.maxPageSize }, capabilities.maxTop),
    countsAfterSkip: request.countsAfterSkip ?? false,
    orderBy: form !== "queryable" && shape.orderBy.length === 0 ? [] : totalOrder(shape.orderBy, shape.entityType),
  };
}

/** The absolute offset: a token holds it whole, so a `$skip` beside it would be lost or counted twice. */
function startOffset(query: BoundQuery): number {
  if (query.skipToken === undefined) return query.skip;
  const offset = readSkipToken(query.skipToken);
  if (query.skip === 0) return offset;
  throw protocolError(
    "InvalidQueryOption",
    "$skip and $skiptoken exclude each other: the token already holds the whole offset, so leave $skip out.",
    { target: "$skip" },
  );
}

/** The option that asks for the page after this one, percent-encoded. @see decisions, Reading (next link) */
export function nextPageOption(plan: CollectionPlan): string {
  const offset = plan.skip + (plan.page.size ?? 0);
  return plan.form === "queryable" && offset <= MAX_SKIP_TOKEN_OFFSET
    ? `$skiptoken=${encodeURIComponent(writeSkipToken(offset))}`
    : `$skip=${String(offset)}`;
}

const NO_PROPERTIES: readonly SelectedProperty[] = Object.freeze([]);

/** Plans a count: no page, no order; a source is asked for no rows, a set that applies the query for all of them. */
export function planCount(form: ReadForm, query: BoundQuery): CollectionPlan {
  const size = form === "profile-applied" ? undefined : 0;
  return {
    form,
    query: { ...query, top: undefined, skip: 0, skipToken: undefined, count: true },
    selected: NO_PROPERTIES,
    skip: 0,
    page: { size, readSize: size, linked: false, appliedPageSize: undefined },
    countsAfterSkip: false,
    orderBy: [],
  };
}
