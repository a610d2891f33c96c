import { protocolError } from "../../base/errors/odata-error.ts";
import { type CollectionPart, type CollectionResult, sizeOf } from "../../engine/entities/handler-answer.ts";
import { isTransformed, writtenClause } from "../../engine/plan/apply-shapes.ts";
import { type CollectionPlan, type LastRow, nextPageOption, type ReadForm } from "../../engine/plan/plan-collection.ts";
import type { CollectionRows } from "../../engine/reads/run-collection.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import { nextLink } from "../../http/next-link.ts";
import type { ODataResponse, ResponseBody } from "../../http/odata-response.ts";
import type { QueryTarget } from "../../language/binder/bind-query-options.ts";
import type { OptionRules } from "../../language/binder/option-rules.ts";
import { type EntitiesPayload, type PageEnd, writeCollection } from "../../payload/write-collection.ts";
import { compileReferenceWriter } from "../../payload/write-entity-reference.ts";
import type { EntityWriter } from "../../payload/write-entity.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { maxLinkLength } from "./bind-query.ts";
import type { Execution } from "./execution.ts";
import { writtenBytes } from "./response-bytes.ts";
import { entityWriterFor, type EntityOrigin } from "./service-runtime.ts";
import { jsonResponse } from "./stages.ts";

/** Options that a generated next link replaces: its offset is absolute. */
const OFFSET_OPTIONS: readonly string[] = ["$skip", "$skiptoken"];

/** A collection that a request addresses: everything that differs between the reads of collections, as data. */
export interface CollectionResource {
  readonly target: QueryTarget;
  /** The query options that the collection accepts. */
  readonly rules: OptionRules;
  readonly form: ReadForm;
  /** Returns the handlers that read it. */
  readonly rows: (execution: Execution) => CollectionRows;
  /** Whether it turned out to be null when it was read, so that the response has no content; absent: it never is. */
  readonly isNull?: (() => boolean) | undefined;
  /** The set or type of the entities. */
  readonly origin: EntityOrigin;
  readonly selectPushdownEnabled: boolean;
  /** Whether the context names a type in place of the set; absent: false. */
  readonly isUnnamed?: boolean | undefined;
  /** Whether the response contains references instead of entities: none for entities without a set. */
  readonly referencesOnly?: boolean | undefined;
  /** Whether `$count` excludes skipped entities. */
  readonly countsAfterSkip: boolean;
  /** Whether next links contain the last row or an offset; absent: no link has a token. */
  readonly paging?: "keyset" | "offset" | undefined;
  /** @param contextSelect the items of `$select` */
  contextUrl(contextSelect: readonly string[]): string;
}

/** A page that is planned: how to read it, and how to write it. */
export interface PlannedPage {
  readonly request: AuthorizedRequest;
  readonly format: JsonFormat;
  readonly resource: CollectionResource;
  readonly plan: CollectionPlan;
  /** Counts the bytes of the response. */
  readonly execution: Execution;
}

/** Some entities of a page before they are written. */
export interface PagePart extends Pick<CollectionPart, "entities" | "rowShape" | "json" | "shape" | "lastAt"> {
  /** The number of entities, expansions included; undefined without expansions. */
  readonly total?: number | undefined;
}

/** One page before it is written. */
export interface PageToWrite extends Pick<CollectionResult, "count" | "nextLink" | "hasMore"> {
  readonly parts: readonly [PagePart, ...(readonly PagePart[])];
}

/** Makes the response with a page that has been read. */
export function pageResponse(planned: PlannedPage, read: PageToWrite): ODataResponse {
  const { request, resource, plan } = planned;
  const page = hasNoReferences(resource) ? withoutEntities(read) : read;
  const [first, ...others] = page.parts;
  const length = page.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const body = writeCollection({
    contextUrl: contextUrlOf(planned),
    count: page.count,
    nextLink:
      page.nextLink ?? (page.hasMore ? ownNextLink(request, plan, length, lastAt(page.parts, length)) : undefined),
    end: pageEnd(planned, page),
    parts: [toPayload(planned, first), ...others.map((part) => toPayload(planned, part))],
    serviceRoot: request.serviceRoot,
  });
  return bodyResponse(planned, startBody(body), page.nextLink);
}

/** The share of the bytes of a response below which rows fit, whatever characters they have. */
const SURE = 1 / 8;

/** Returns where a page ends by its bytes; undefined if all entities are known to fit. */
function pageEnd(planned: PlannedPage, { parts, nextLink }: PageToWrite): PageEnd | undefined {
  const { request, plan, execution } = planned;
  const { bytes, arrival } = execution;
  const isSmall = bytes.used > 0 && bytes.used <= bytes.most * SURE;
  const isCounted = parts.every(
    (part) => part.json !== undefined || (part.rowShape !== undefined && isSmall && part.total === undefined),
  );
  if (bytes.most === Infinity || (isCounted && arrival.batch === undefined)) return undefined;
  const linkAfter = (length: number): string => ownNextLink(request, plan, length, lastAt(parts, length));
  return { bytes: writtenBytes(execution), linkAfter: nextLink === undefined ? linkAfter : null };
}

/** Returns the row before a next page, after some entities of several parts. */
export function lastAt(parts: readonly PagePart[], length: number): LastRow | undefined {
  let before = 0;
  for (const part of parts) {
    const size = sizeOf(part);
    if (length <= before + size) return part.lastAt?.(length - before);
    before += size;
  }
  return undefined;
}

/** Makes the response with the body of a page. @param handlerLink the next link of a handler */
export function bodyResponse(
  { request, format, plan }: PlannedPage,
  body: ResponseBody,
  handlerLink: string | undefined,
): ODataResponse {
  const applied = handlerLink === undefined ? plan.page.appliedPageSize : undefined;
  const name = request.preferences.maxPageSizeName;
  return jsonResponse(
    request,
    format,
    body,
    applied === undefined ? undefined : { "Preference-Applied": `${name}=${String(applied)}` },
  );
}

/** Returns the context URL of a page. */
export function contextUrlOf({ resource, plan }: PlannedPage): string {
  return resource.contextUrl(plan.query.shape.selectExpand.contextSelect);
}

/** Returns entities with the writer of their form. */
export function toPayload(planned: PlannedPage, part: PagePart): EntitiesPayload {
  const { entities, json, total } = part;
  return { entities, json, total, writer: writerOf(planned, part) };
}

/** Whether the entities have no URLs, because their navigation has no target set. @see docs/reference/navigation.md */
export function hasNoReferences({ referencesOnly, origin }: CollectionResource): boolean {
  return referencesOnly === true && origin.kind !== "EntitySet";
}

function withoutEntities({ count }: PageToWrite): PageToWrite {
  const none: PagePart = { entities: [], rowShape: undefined };
  return { parts: [none], count: count === undefined ? undefined : 0, hasMore: false, nextLink: undefined };
}

function writerOf({ request, format, resource, plan }: PlannedPage, part: PagePart): EntityWriter {
  const { origin, referencesOnly, isUnnamed } = resource;
  const { rowShape, shape = plan.query.shape } = part;
  if (isTransformed(shape)) {
    const written = { ...format, isTransient: true };
    return entityWriterFor(request.service, shape.entityType, writtenClause(shape), written, rowShape);
  }
  if (referencesOnly !== true) {
    const written = isUnnamed === true ? { ...format, isUnnamed } : format;
    return entityWriterFor(request.service, origin, shape.selectExpand, written, rowShape);
  }
  return compileReferenceWriter(origin.kind === "EntitySet" ? origin : null, format, rowShape);
}

/**
 * Makes the next link, with an offset if the values of the last row would make the link too long.
 * @param length the number of entities of the page
 * @throws ODataError `InvalidQueryOption` if the options came in a body, and are longer than URLs may be
 */
export function ownNextLink(
  request: AuthorizedRequest,
  plan: CollectionPlan,
  length: number,
  last: LastRow | undefined,
): string {
  const { pairs } = request.options.options;
  const { top } = plan.query;
  const replaced = top === undefined ? OFFSET_OPTIONS : [...OFFSET_OPTIONS, "$top"];
  const linkTo = (option: string): string =>
    nextLink(
      request.requestUrl,
      pairs,
      replaced,
      top === undefined ? option : `$top=${String(top - length)}&${option}`,
    );
  const link = linkTo(nextPageOption(plan, length, last));
  const limit = maxLinkLength(request);
  if (limit === null || link.length <= limit) return link;
  const byOffset = last === undefined ? link : linkTo(nextPageOption(plan, length));
  const targetLength = byOffset.length - request.arrival.baseUrl.length;
  if (request.arrival.sent !== undefined && targetLength > limit) throw unlinkablePage(targetLength, limit);
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

/** Creates the error for a page whose next link would be longer than URLs may be. */
function unlinkablePage(length: number, limit: number): Error {
  return protocolError(
    "InvalidQueryOption",
    `There are further pages, but the link to the next one would have ${String(length)} characters, and the limit is ` +
      `${String(limit)}. Set $top to the size of a page, and $skip for the next ones.`,
    { target: "$top" },
  );
}
