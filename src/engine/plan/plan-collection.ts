import { protocolError } from "../../base/errors/odata-error.ts";
import { keptPer } from "../../base/memo.ts";
import type { EntitySetHandlers, CollectionQuery } from "../../definition/handlers.ts";
import { allOf } from "../../language/query/all-of.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";
import type {
  ApplyClause,
  BoundQuery,
  OrderByItem,
  SelectedProperty,
  FilterClause,
} from "../../language/query/clauses.ts";
import { isEach } from "../../language/query/each-item.ts";
import type { Expression } from "../../language/query/expression.ts";
import { isOfHierarchy } from "../../language/query/hierarchy-clauses.ts";
import {
  mapApply,
  mapComputed,
  mapExpansions,
  mapFilter,
  mapOrder,
  type Replace,
} from "../../language/query/map-clauses.ts";
import { mentionsOf, type QueryClauses } from "../../language/query/mentions.ts";
import { type Place, placeAt, type PlaceOrder, type PlaceValue } from "../../language/query/place.ts";
import type { JsonMembers, SourceQuery } from "../../language/query/source.ts";
import { fillParameters } from "../../language/query/walk-expression.ts";
import { placeOrderOf } from "./keyset-order.ts";
import {
  hasRowBefore,
  type PageStart,
  readKeysetToken,
  readOffsetToken,
  type TokenScope,
  writeKeysetToken,
} from "./keyset-token.ts";
import type { ExpandPlan } from "./plan-expand.ts";
import { tellsOrder } from "./plan-json.ts";
import {
  planPaging,
  type PagePlan,
  MAX_SKIP_TOKEN_OFFSET,
  readSkipToken,
  wholePage,
  writeSkipToken,
} from "./plan-paging.ts";
import { storedSelection } from "./properties-to-read.ts";
import { totalOrderOf } from "./total-order.ts";

/**
 * The form in which a set is read as a collection, by precedence. `related` reads a queryable source of related entities
 * on a route without tokens. @see docs/reference/handlers.md
 */
export type ReadForm = "apply-query" | "queryable" | "get-all" | "related";

/** The plan for one read of a collection: the work of the handler, and the remaining work. */
export interface CollectionPlan {
  readonly form: ReadForm;
  readonly query: BoundQuery;
  /** Rows to skip: the absolute offset of the first row of the page, or 0 if `keyset` has its start. */
  readonly skip: number;
  /** The keyset plan of a set with keyset paging, or of a page that the service divides; null: paging by offset. */
  readonly keyset: KeysetPlan | null;
  readonly page: PagePlan;
  /** The properties that the response needs. */
  readonly selected: readonly SelectedProperty[];
  /** Whether the count excludes the rows that `$skip` excludes. */
  readonly countsAfterSkip: boolean;
  /** The order to apply: total, or empty for the order of the handler. */
  readonly orderBy: readonly OrderByItem[];
  /** The expansions of the page; null: none. */
  readonly expand: ExpandPlan | null;
  /** The members of the entities if a source may write the page as JSON; undefined: it returns entities or rows. */
  readonly json?: JsonMembers | undefined;
  /** As in `SourceQuery`. */
  readonly idStart?: SourceQuery["idStart"];
}

/** Paging by the values of the last row, or by offset. */
interface KeysetPlan {
  /** Null if no condition can continue the order. Pages are then found by offset. */
  readonly order: PlaceOrder | null;
  /** The row before the page; null if the page begins at an offset. */
  readonly start: KeysetStart | null;
  /** The number of rows before the page, as counted on the previous pages. */
  readonly position: number;
  /** Returns the scope of the token of the next page; null: its link is an offset. */
  readonly token: () => TokenScope | null;
  /** Whether every link is a sealed token, also one that continues at an offset. */
  readonly isAlwaysSealed: boolean;
}

/** The row before a page. */
interface KeysetStart {
  readonly place: Place;
  /** Whether the place consists of marks of a database, and not of values of properties. */
  readonly isRow: boolean;
}

/** The requirements of a request on a page, besides its query. */
interface PageRequest {
  /** The preference `maxpagesize`; undefined when not sent. */
  readonly preferred?: number | undefined;
  /** The most entities of a page of the service; absent: the read is no page. */
  readonly maxPageSize?: number | undefined;
  /** The properties that the response needs. */
  readonly selected: readonly SelectedProperty[];
  readonly expand?: ExpandPlan | null | undefined;
  /** Whether the count is taken after `$skip`, as on navigation routes, instead of before. */
  readonly countsAfterSkip?: boolean | undefined;
  /** The members of the entities in the response, if they have nothing else. */
  readonly json?: JsonMembers | undefined;
  /** As in `SourceQuery`. */
  readonly idStart?: SourceQuery["idStart"];
  /** The tokens of a set whose pages can go on after a row, which only the queryable form supports; absent: it has none. */
  readonly tokens?: RowTokens | undefined;
}

/** The tokens by which pages go on after a row. */
export interface RowTokens {
  /** Whether all pages of the set go on after a row; otherwise those that the service divides. */
  readonly isKeyset: boolean;
  /** Returns the scope of the tokens; null: they belong to nobody. @throws Error if keyset paging needs an owner */
  readonly scope: () => TokenScope | null;
}

/** Returns the form in which a set is read; undefined without a handler for collections. */
export function readForm(handlers: EntitySetHandlers<never>): ReadForm | undefined {
  if (handlers.applyQuery !== undefined) return "apply-query";
  if (handlers.queryable !== undefined) return "queryable";
  return handlers.getAll === undefined ? undefined : "get-all";
}

/**
 * Plans the read of one page of a collection.
 * @param query the bound query of the request
 * @param request the preference of the client, and the needs of the response
 * @throws ODataError `InvalidQueryOption` for a `$top` above MaxTop, or `$skip` with `$skiptoken`;
 *   `InvalidSkipToken`
 * @see docs/reference/paging.md
 */
export function planCollection(
  form: ReadForm,
  query: BoundQuery,
  capabilities: Capabilities,
  request: PageRequest,
): CollectionPlan {
  const { shape } = query;
  const isOfHandler = form === "get-all" || form === "apply-query";
  const isUnordered = isOfHandler && shape.orderBy.length === 0 && shape.apply === undefined;
  const orderBy = isUnordered ? [] : totalOrderOf(shape);
  const { preferred, maxPageSize = null } = request;
  const page = planPaging({ top: query.top, preferred }, { maxTop: capabilities.maxTop, maxPageSize });
  const keyset = form === "queryable" ? keysetOf(query, page, request.tokens) : null;
  const order = page.linked ? (keyset?.order ?? null) : null;
  return {
    form,
    query,
    selected: request.selected,
    skip: keyset === null ? startOffset(query) : offsetOf(keyset),
    keyset,
    page,
    countsAfterSkip: request.countsAfterSkip ?? false,
    expand: request.expand ?? null,
    orderBy,
    json: request.json !== undefined && paysAsJson(request.json, page, order, query) ? request.json : undefined,
    idStart: request.idStart,
  };
}

/** For fewer rows without expansions, a database needs more time to write JSON than to return them. */
const LEAST_JSON_ROWS = 20;

function paysAsJson(
  json: JsonMembers,
  page: PagePlan,
  order: PlaceOrder | null,
  { count }: Pick<BoundQuery, "count">,
): boolean {
  const { readSize } = page;
  if (order !== null && !tellsOrder(json, order)) return false;
  // One statement reads JSON and its total.
  if (count) return true;
  return json.expanded.length > 0 || readSize === undefined || readSize >= LEAST_JSON_ROWS;
}

/**
 * Plans a page that goes on after a row. `$skip` applies to the first page only, because tokens start after it.
 * @returns null if the page starts at an offset, and so does the next one
 */
function keysetOf(query: BoundQuery, page: PagePlan, tokens: RowTokens | undefined): KeysetPlan | null {
  if (tokens === undefined) return null;
  const { skipToken, shape } = query;
  const hasRow = skipToken !== undefined && (tokens.isKeyset || hasRowBefore(skipToken));
  if (!tokens.isKeyset && !page.isDivided && !hasRow) return null;
  const order = placeOrderOf(shape);
  if (order === null && (!tokens.isKeyset || shape.apply !== undefined)) return null;
  if (tokens.isKeyset) return sealedKeyset(query, order, tokens);
  // The owner may be unknown, which matters only where a token is read or written.
  const token = (): TokenScope | null => scopeFor(order, tokens);
  const known = { order, token, isAlwaysSealed: false };
  if (!hasRow) return { ...known, start: null, position: startOffset(query) };
  const { position, row } = readOffsetToken(skipToken, order?.terms.length ?? 0, token());
  refuseSkipBesideToken(query);
  return { ...known, start: startAfter(order, row), position };
}

/** Plans a page of keyset paging, whose tokens have an owner from the first page on. */
function sealedKeyset(query: BoundQuery, order: PlaceOrder | null, tokens: RowTokens): KeysetPlan | null {
  const scope = scopeFor(order, tokens);
  if (scope === null) return null;
  const known = { order, token: () => scope, isAlwaysSealed: true };
  const { skipToken } = query;
  if (skipToken === undefined) return { ...known, start: null, position: startOffset(query) };
  const { position, row } = readKeysetToken(skipToken, order?.terms.length ?? 0, scope);
  refuseSkipBesideToken(query);
  return { ...known, start: startAfter(order, row), position };
}

function startAfter(order: PlaceOrder | null, row: PageStart["row"]): KeysetStart | null {
  return order === null || row === null ? null : { place: placeAt(order, row.values), isRow: row.isRow };
}

function scopeFor(order: PlaceOrder | null, tokens: RowTokens): TokenScope | null {
  const owned = tokens.scope();
  return owned === null || order === null ? owned : { ...owned, context: `${owned.context}${termsOf(order)}` };
}

function offsetOf({ start, position }: KeysetPlan): number {
  return start === null ? position : 0;
}

/** The types are part of the context, so that a token of another model is invalid. */
function termsOf({ terms }: PlaceOrder): string {
  return terms.map(({ type, descending }) => ` ${type.name}${descending ? "-" : ""}`).join("");
}

/** Returns the absolute offset. A token contains all of it, so an additional `$skip` is refused. */
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
    "$skip and $skiptoken cannot be combined: the token already contains the offset, so omit $skip.",
    { target: "$skip" },
  );
}

/** The last row of a page, after which the next page starts. */
export interface LastRow {
  /** The value of each term of the order; null: the next page starts at an offset. */
  readonly values: readonly PlaceValue[] | null;
  /** Whether these are marks of a database, and not values of properties. */
  readonly isRow: boolean;
}

/**
 * Returns the percent-encoded option that requests the next page.
 * @param size the number of entities of this page
 * @param last the last row of the page, for keyset paging
 * @see OData Protocol 4.0, section 11.2.5.7
 */
export function nextPageOption(plan: CollectionPlan, size: number, last?: LastRow): string {
  const { keyset } = plan;
  const offset = (keyset?.position ?? plan.skip) + size;
  const values = last?.values ?? null;
  const isSealed = keyset?.isAlwaysSealed === true || (values !== null && offset <= MAX_SKIP_TOKEN_OFFSET);
  const token = isSealed ? (keyset?.token() ?? null) : null;
  if (token !== null) {
    const row = values === null ? null : { values, isRow: last?.isRow === true };
    return `$skiptoken=${writeKeysetToken({ position: offset, row }, token)}`;
  }
  return plan.form === "queryable" && offset <= MAX_SKIP_TOKEN_OFFSET
    ? `$skiptoken=${encodeURIComponent(writeSkipToken(offset))}`
    : `$skip=${String(offset)}`;
}

const NO_PROPERTIES: readonly SelectedProperty[] = Object.freeze([]);

/** Plans a count, without page and order. A source returns no rows, an `applyQuery` handler returns all. */
export function planCount(form: ReadForm, query: BoundQuery): CollectionPlan {
  const size = form === "apply-query" ? undefined : 0;
  return {
    form,
    query: { ...query, top: undefined, skip: 0, skipToken: undefined, count: true },
    selected: NO_PROPERTIES,
    skip: 0,
    keyset: null,
    page: wholePage(size),
    countsAfterSkip: false,
    orderBy: [],
    expand: null,
  };
}

/** Names the steps that handlers do not get: their items do not show a branch, and `each` is not an expression of a row. */
function unsupportedIn({ branches: [{ steps }, ...others] }: ApplyClause): string | undefined {
  if (others.length > 0) return "'concat' is";
  const isAlong = steps.some(
    (step) => step.kind === "group" && step.aggregates.some((each) => isEach(each.expression)),
  );
  if (isAlong) return "Aggregates along collections are";
  if (steps.some(({ kind }) => kind === "concat")) return "'concat' is";
  if (steps.some(({ kind }) => kind === "join")) return "'join' is";
  if (steps.some(({ kind }) => kind === "totals")) return "$these is";
  if (steps.some(isOfHierarchy)) return "Steps of a hierarchy are";
  return steps.some((step) => step.kind === "limit" && step.reach) ? "Rows up to a sum are" : undefined;
}

/**
 * Returns the bound query for an `applyQuery` handler, with a literal for each parameter.
 * @throws ODataError `UnsupportedQueryOption` for steps that handlers do not get, such as `concat` and `join`
 * @see docs/reference/handlers.md
 */
export function toCollectionQuery(plan: CollectionPlan): CollectionQuery {
  const { query, page } = plan;
  const { shape, values } = query;
  const { apply, selectExpand } = shape;
  const unsupported = apply && unsupportedIn(apply);
  if (unsupported !== undefined) {
    const message = `${unsupported} not supported in $apply: the entity set applies the query itself.`;
    throw protocolError("UnsupportedQueryOption", message, { target: "$apply" });
  }
  const { isSelection, expanded } = selectExpand;
  const selected = storedSelection(selectExpand, shape.entityType);
  // Without `$select`, properties that the user may not read are still missing.
  const isPart = isSelection || selected.length < shape.entityType.properties.length;
  const fill: Replace = (expression) => fillParameters(expression, values);
  const compute = mapComputed(selectExpand, fill);
  return {
    ...(apply && { apply: mapApply(apply, fill) }),
    ...(compute.length > 0 && { compute }),
    filter: mapFilter(shape.filter, fill),
    orderBy: mapOrder(shape.orderBy, fill),
    select: isPart && apply === undefined && compute.length === 0 ? selected : null,
    expand: expanded.length === 0 ? null : mapExpansions(expanded, fill),
    search: query.search,
    skip: plan.skip,
    top: query.top,
    count: query.count,
    pageSize: page.linked ? (page.size ?? null) : null,
  };
}

/**
 * The plan for applying a query with navigations to a list of entities. To load as few related entities as possible, it
 * applies the conditions on the entity itself first, then the other conditions, then the order.
 */
export interface MentionsPlan {
  /** The conditions without navigations; null: none. */
  readonly ownFilter: FilterClause | null;
  /** The conditions with navigations, as a query; null: none. */
  readonly filter: QueryClauses | null;
  /** The order with navigations, as a query; null: it has none. */
  readonly orderBy: QueryClauses | null;
}

/** The conditions of a filter, by whether they contain navigations. */
type FilterPlan = Pick<MentionsPlan, "ownFilter" | "filter">;

const NO_FILTER: FilterPlan = Object.freeze({ ownFilter: null, filter: null });
const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/**
 * Plans how a query is applied to a list of entities.
 * @returns null if its expressions mention only the entity itself
 */
export function planMentions({ filter, orderBy }: QueryClauses): MentionsPlan | null {
  const filterPlan = filter === null ? NO_FILTER : splitFilter(filter);
  const orderPlan = orderBy.length === 0 ? null : planOrder(orderBy);
  return filterPlan.filter === null && orderPlan === null ? null : { ...filterPlan, orderBy: orderPlan };
}

const splitFilter = keptPer((filter: FilterClause): FilterPlan => {
  if (!leadsOn(filter.expression)) return { ownFilter: filter, filter: null };
  const { expression } = filter;
  const conditions =
    expression.kind === "logical" && expression.operator === "and" ? expression.operands : [expression];
  const own = allOf(conditions.filter((condition) => !leadsOn(condition)));
  return { ownFilter: own, filter: { filter: allOf(conditions.filter(leadsOn)), orderBy: NO_ORDER } };
});

function leadsOn(expression: Expression): boolean {
  return mentionsOf({ filter: { expression }, orderBy: NO_ORDER }) !== null;
}

const planOrder = keptPer((orderBy: readonly OrderByItem[]): QueryClauses | null => {
  const clauses: QueryClauses = { filter: null, orderBy };
  return mentionsOf(clauses) === null ? null : clauses;
});
