import type { EntitySetHandlers } from "../definition/sets/handlers.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { BoundQuery, OrderByItem, SelectedProperty } from "../query/clauses.ts";
import { type KeysetValue, type Seek, seekBehind } from "./keyset-filter.ts";
import { type KeysetOrder, keysetOrder, withOrderProperties } from "./keyset-order.ts";
import { type PageStart, readKeysetToken, type TokenScope, writeKeysetToken } from "./keyset-token.ts";
import type { ExpandPlan } from "./plan-expand.ts";
import { planPaging, type PagePlan, MAX_SKIP_TOKEN_OFFSET, readSkipToken, writeSkipToken } from "./plan-paging.ts";
import { totalOrderOf } from "./total-order.ts";

/**
 * The form in which a set is read as a collection, by precedence; `related` is the source of what is related to one
 * entity, which is queryable, but on a route that takes no token. @see decisions, Reading
 */
export type ReadForm = "profile-applied" | "queryable" | "get-all" | "related";

/** Who does what for one read of a collection. */
export interface CollectionPlan {
  readonly form: ReadForm;
  readonly query: BoundQuery;
  /** Rows to leave out: the absolute offset of the first row of the page, or 0 where `keyset` seeks it. */
  readonly skip: number;
  /** How a page of a set with keyset paging is found; null: by offset. */
  readonly keyset: KeysetPlan | null;
  readonly page: PagePlan;
  /** The properties that the answer needs. */
  readonly selected: readonly SelectedProperty[];
  /** Whether the count leaves out what `$skip` does. */
  readonly countsAfterSkip: boolean;
  /** The order to apply: total, or empty for the order of a handler that answers without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
  /** The expansions of the page; null where nothing is expanded. */
  readonly expand: ExpandPlan | null;
}

/** Paging by the values of the last row. */
export interface KeysetPlan {
  /** Null where the order has terms that no condition can go on from: pages are found by offset then. */
  readonly order: KeysetOrder | null;
  /** Null where the page begins at an offset. */
  readonly seek: Seek | null;
  /** Rows before the page, as far as the pages before it tell. */
  readonly position: number;
  readonly token: TokenScope;
}

/** What a request asks of a page beside its query. */
export interface PageRequest {
  /** The preference `maxpagesize`; undefined when not sent. */
  readonly maxPageSize: number | undefined;
  /** The properties that the answer needs. */
  readonly selected: readonly SelectedProperty[];
  readonly expand?: ExpandPlan | null | undefined;
  /** Whether the count is taken after `$skip`, as on navigation routes; otherwise before. */
  readonly countsAfterSkip?: boolean | undefined;
  /** With keyset paging: what makes and reads its tokens. Only the queryable form has any. */
  readonly keyset?: TokenScope | undefined;
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
  const orderBy = form !== "queryable" && shape.orderBy.length === 0 ? [] : totalOrderOf(shape);
  const page = planPaging({ top: query.top, maxPageSize: request.maxPageSize }, capabilities.maxTop);
  const isKeyset = form === "queryable" && request.keyset !== undefined;
  const keyset = isKeyset ? planKeyset(query, keysetOrder(orderBy, shape.entityType.key), request.keyset) : null;
  const order = page.linked ? (keyset?.order ?? null) : null;
  return {
    form,
    query,
    selected: order === null ? request.selected : withOrderProperties(request.selected, order),
    skip: keyset === null ? startOffset(query) : offsetOf(keyset),
    keyset,
    page,
    countsAfterSkip: request.countsAfterSkip ?? false,
    expand: request.expand ?? null,
    orderBy,
  };
}

/** Where a page of a set with keyset paging begins. `$skip` is of the first page alone: a token is behind it. */
function planKeyset(query: BoundQuery, order: KeysetOrder | null, token: TokenScope): KeysetPlan {
  const scope = order === null ? token : { ...token, context: `${token.context}${termsOf(order)}` };
  const { skipToken, values, shape } = query;
  if (skipToken === undefined) return { order, seek: null, position: query.skip, token: scope };
  const { position, row }: PageStart = readKeysetToken(skipToken, order?.terms.length ?? 0, scope);
  refuseSkipBesideToken(query);
  const seek =
    order === null || row === null
      ? null
      : seekBehind(order, row.values, { filter: shape.filter, values, isRow: row.isRow });
  return { order, seek, position, token: scope };
}

/** Rows to leave out: none of those behind a row. */
function offsetOf({ seek, position }: KeysetPlan): number {
  return seek === null ? position : 0;
}

/** A token holds values of these types: with another model it is not read. */
function termsOf({ terms }: KeysetOrder): string {
  return terms.map(({ type, descending }) => ` ${type.name}${descending ? "-" : ""}`).join("");
}

/** The absolute offset: a token holds it whole, so a `$skip` beside it would be lost or counted twice. */
function startOffset(query: BoundQuery): number {
  if (query.skipToken === undefined) return query.skip;
  const offset = readSkipToken(query.skipToken);
  refuseSkipBesideToken(query);
  return offset;
}

function refuseSkipBesideToken(query: BoundQuery): void {
  if (query.skip === 0) return;
  throw protocolError(
    "InvalidQueryOption",
    "$skip and $skiptoken exclude each other: the token already holds the whole offset, so leave $skip out.",
    { target: "$skip" },
  );
}

/** The last row of a page, where the next one goes on from it. */
export interface LastRow {
  /** The value of each term of the order; null: the order goes on by offset. */
  readonly values: readonly KeysetValue[] | null;
  readonly isRow: boolean;
}

/**
 * Returns the option that asks for the page after this one, percent-encoded.
 * @param size how many entities this page has
 * @param last with keyset paging, the last row of the page
 * @see OData Protocol 4.0, section 11.2.5.7
 */
export function nextPageOption(plan: CollectionPlan, size: number, last?: LastRow): string {
  if (plan.keyset !== null) {
    const { position, token } = plan.keyset;
    const values = last?.values ?? null;
    const row = values === null ? null : { values, isRow: last?.isRow === true };
    return `$skiptoken=${writeKeysetToken({ position: position + size, row }, token)}`;
  }
  const offset = plan.skip + size;
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
    keyset: null,
    page: { size, readSize: size, linked: false, appliedPageSize: undefined },
    countsAfterSkip: false,
    orderBy: [],
    expand: null,
  };
}
