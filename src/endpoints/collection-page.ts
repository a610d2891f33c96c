import type { QueryTarget } from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/option-rules.ts";
import { type CollectionPart, type CollectionResult, sizeOf } from "../execution/entities/collection-result.ts";
import type { CollectionRows } from "../execution/reads/run-collection.ts";
import type { JsonFormat } from "../http/media-type.ts";
import { nextLink } from "../http/next-link.ts";
import type { ODataResponse, ResponseBody } from "../http/odata-response.ts";
import { type EntitiesPayload, writeCollection } from "../payload/write-collection.ts";
import { compileReferenceWriter } from "../payload/write-entity-reference.ts";
import type { EntityWriter } from "../payload/write-entity.ts";
import { type CollectionPlan, type LastRow, nextPageOption, type ReadForm } from "../plan/plan-collection.ts";
import { entityWriterFor, type EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { jsonResponse } from "./response.ts";
import { maxLinkLength, unlinkablePage } from "./sent-options.ts";

/** Options that a generated next link replaces: its offset is absolute. */
const OFFSET_OPTIONS: readonly string[] = ["$skip", "$skiptoken"];

/** A collection that a request addresses: everything that differs between the reads of collections, as data. */
export interface CollectionResource {
  readonly target: QueryTarget;
  /** The query options that the collection accepts. */
  readonly rules: OptionRules;
  readonly form: ReadForm;
  readonly rows: CollectionRows;
  /** The set or type of the entities. */
  readonly origin: EntityOrigin;
  readonly selectPushdownEnabled: boolean;
  /** Whether the context names a type in place of the set; absent: false. */
  readonly isUnnamed?: boolean | undefined;
  /** Whether the response contains references instead of entities: none for entities without a set. */
  readonly referencesOnly?: boolean | undefined;
  /** Whether `$count` excludes skipped entities. */
  readonly countsAfterSkip: boolean;
  /** Whether next links contain the last row instead of an offset. */
  readonly keyset?: boolean | undefined;
  /** @param contextSelect the items of `$select` */
  contextUrl(contextSelect: readonly string[]): string;
}

/** A request for a page of a collection. */
export interface PageRequest {
  readonly exchange: Exchange;
  readonly format: JsonFormat;
  readonly resource: CollectionResource;
  readonly plan: CollectionPlan;
}

/** Some entities of a page before they are written. */
export interface PagePart extends Pick<CollectionPart, "entities" | "rowShape" | "json"> {
  /** The number of entities, expansions included; undefined without expansions. */
  readonly total?: number | undefined;
}

/** One page before it is written. */
interface PageToWrite extends Pick<CollectionResult, "count" | "nextLink" | "hasMore" | "last"> {
  readonly parts: readonly [PagePart, ...(readonly PagePart[])];
}

/** Makes the response with a page that has been read. */
export function pageResponse(request: PageRequest, read: PageToWrite): ODataResponse {
  const { exchange, resource, plan } = request;
  const page = hasNoReferences(resource) ? withoutEntities(read) : read;
  const [first, ...others] = page.parts;
  const length = page.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const body = writeCollection({
    contextUrl: contextUrlOf(request),
    count: page.count,
    nextLink: page.nextLink ?? (page.hasMore ? ownNextLink(exchange, plan, length, page.last) : undefined),
    parts: [toPayload(request, first), ...others.map((part) => toPayload(request, part))],
    serviceRoot: exchange.serviceRoot,
  });
  return bodyResponse(request, startBody(body), page.nextLink);
}

/** Makes the response with the body of a page. @param handlerLink the next link of a handler */
export function bodyResponse(
  { exchange, format, plan }: PageRequest,
  body: ResponseBody,
  handlerLink: string | undefined,
): ODataResponse {
  const applied = handlerLink === undefined ? plan.page.appliedPageSize : undefined;
  const name = exchange.preferences.maxPageSizeName;
  return jsonResponse(
    exchange,
    format,
    body,
    applied === undefined ? undefined : { "Preference-Applied": `${name}=${String(applied)}` },
  );
}

/** Returns the context URL of a page. */
export function contextUrlOf({ resource, plan }: PageRequest): string {
  return resource.contextUrl(plan.query.shape.selectExpand.contextSelect);
}

/** Returns entities with the writer of their form. */
export function toPayload(request: PageRequest, part: PagePart): EntitiesPayload {
  const { entities, json, total } = part;
  return { entities, json, total, writer: writerOf(request, part) };
}

/** Whether the entities have no URLs, because their navigation has no target set. @see docs/reference/navigation.md */
export function hasNoReferences({ referencesOnly, origin }: CollectionResource): boolean {
  return referencesOnly === true && origin.kind !== "EntitySet";
}

function withoutEntities({ count }: PageToWrite): PageToWrite {
  const none: PagePart = { entities: [], rowShape: undefined };
  return { parts: [none], count: count === undefined ? undefined : 0, hasMore: false, nextLink: undefined };
}

function writerOf({ exchange, format, resource, plan }: PageRequest, { rowShape }: PagePart): EntityWriter {
  const { origin, referencesOnly, isUnnamed } = resource;
  if (referencesOnly !== true) {
    const { selectExpand } = plan.query.shape;
    const written = isUnnamed === true ? { ...format, isUnnamed } : format;
    return entityWriterFor(exchange.service, origin, selectExpand, written, rowShape);
  }
  return compileReferenceWriter(origin.kind === "EntitySet" ? origin : null, format, rowShape);
}

/**
 * Makes the next link, with an offset if the values of the last row would make the link too long.
 * @param length the number of entities of the page
 * @throws ODataError `InvalidQueryOption` if the options came in a body, and are longer than URLs may be
 */
export function ownNextLink(
  exchange: Exchange,
  plan: CollectionPlan,
  length: number,
  last: LastRow | undefined,
): string {
  const { pairs } = exchange.options.options;
  const link = nextLink(exchange.requestUrl, pairs, OFFSET_OPTIONS, nextPageOption(plan, length, last));
  const limit = maxLinkLength(exchange);
  if (limit === null || link.length <= limit) return link;
  const byOffset =
    last === undefined ? link : nextLink(exchange.requestUrl, pairs, OFFSET_OPTIONS, nextPageOption(plan, length));
  const targetLength = byOffset.length - exchange.baseUrl.length;
  if (exchange.sent !== undefined && targetLength > limit) throw unlinkablePage(targetLength, limit);
  return byOffset;
}

/**
 * Makes the first chunk of a body at once, so that an entity that cannot be written still leads to an error response, unless
 * it is in a later chunk.
 */
export function startBody(body: ReturnType<typeof writeCollection>): ReturnType<typeof writeCollection> {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  const iterator = body[Symbol.iterator]();
  const first = iterator.next();
  return (function* rest() {
    for (let next = first; next.done !== true; next = iterator.next()) yield next.value;
  })();
}
