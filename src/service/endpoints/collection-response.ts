import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { ruleContextOf } from "../../definition/context.ts";
import type { EntitySet, EntityType } from "../../edm/model.ts";
import { startAll } from "../../engine/entities/concurrency.ts";
import { sizeOf, type CollectionPart } from "../../engine/entities/handler-answer.ts";
import { definitionIn, type Reader } from "../../engine/entities/reader.ts";
import { isShaped, isTransformed } from "../../engine/plan/apply-shapes.ts";
import { placeOrderOf } from "../../engine/plan/keyset-order.ts";
import type { TokenScope } from "../../engine/plan/keyset-token.ts";
import { type CollectionPlan, planCollection } from "../../engine/plan/plan-collection.ts";
import { planExpand, type ExpandPlan } from "../../engine/plan/plan-expand.ts";
import { planNamedJson, planJson } from "../../engine/plan/plan-json.ts";
import { SHORT_PAGE } from "../../engine/plan/plan-paging.ts";
import { keyProperties, propertiesToRead } from "../../engine/plan/properties-to-read.ts";
import { CollectionStream } from "../../engine/reads/collection-stream.ts";
import { expandFitting } from "../../engine/reads/expand-fitting.ts";
import { tooManyEntities } from "../../engine/reads/page-query.ts";
import { openCollection, runCollection } from "../../engine/reads/run-collection.ts";
import type { ExpandRequest } from "../../engine/reads/run-expand.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import {
  type BoundQuery,
  type QueryShape,
  shapeKey,
  type SelectExpandClause,
  selectsKey,
} from "../../language/query/clauses.ts";
import type { JsonMembers } from "../../language/query/source.ts";
import { showsVirtual } from "../../language/query/virtual-values.ts";
import type { PayloadFormat } from "../../payload/payload-format.ts";
import { entityUrlStart } from "../../payload/urls.ts";
import { streamCollection } from "../../payload/write-collection.ts";
import type { EntityRoutes } from "../../payload/write-entity.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindCollection, returnedBy, mayOutgrowLinks } from "./bind-query.ts";
import {
  type CollectionResource,
  hasNoReferences,
  type PageToWrite,
  type PlannedPage,
  pageResponse,
  bodyResponse,
  contextUrlOf,
  lastAt,
  ownNextLink,
  type PagePart,
  toPayload,
} from "./collection-page.ts";
import type { Execution } from "./execution.ts";
import { writtenBytes } from "./response-bytes.ts";
import type { EntityOrigin } from "./service-runtime.ts";
import { noContentResponse, type Endpoint, inPlannedStages } from "./stages.ts";

/** A collection that a request addresses, and the format of the response. */
interface CollectionRequest {
  readonly format: JsonFormat;
  readonly resource: CollectionResource;
}

interface BoundCollection extends CollectionRequest {
  readonly query: BoundQuery;
}

/** A page that is read and expanded: whole, or as far as a long one is read before the response begins. */
type ReadPage = PageToWrite | BegunPage;

/**
 * Makes an endpoint for one page of a collection: binds the query options, plans, reads, expands and writes.
 * @param address returns the collection. @throws ODataError for negotiation, a key
 * @throws ODataError for a query option, or the error of a handler
 * @see docs/reference/entity-sets.md
 */
export function readsCollection(address: (request: AuthorizedRequest) => CollectionRequest): Endpoint {
  return inPlannedStages({
    bind: (request): BoundCollection => {
      const { format, resource } = address(request);
      const { target, rules, form } = resource;
      const isReturned = form === "get-all" || form === "apply-query";
      const query = bindCollection(request, isReturned ? returnedBy(target) : target, rules);
      return { format, resource, query };
    },
    plan: planPage,
    execute: readPage,
    write: (page, planned, request) => {
      if (planned.resource.isNull?.() === true) return noContentResponse(request);
      return "others" in page ? begunResponse(planned, page) : pageResponse(planned, page);
    },
  });
}

function planPage(
  { format, resource, query }: BoundCollection,
  request: AuthorizedRequest,
  execution: Execution,
): PlannedPage {
  const { target, form, selectPushdownEnabled, countsAfterSkip, origin } = resource;
  const { service } = request;
  const { selectExpand, entityType } = query.shape;
  const expandPlan = planExpand(selectExpand, service.definition);
  const needed = propertiesToRead(target.entitySet, selectExpand, {
    // Links contain the key, and handlers of expansions are called with it.
    key: format.metadata !== "none" || expandPlan?.needsKey === true,
    pushdown: selectPushdownEnabled,
    join: expandPlan?.joinProperties,
  });
  const own = isTransformed(query.shape) ? selectExpand.selected : needed;
  const selected = resource.referencesOnly === true ? keyProperties(entityType) : own;
  const { maxPageSize } = request.preferences;
  const isPlain = resource.referencesOnly !== true && !isShaped(query.shape);
  const members = !isPlain ? undefined : jsonMembers(service, origin, selectExpand, expandPlan, format);
  const json = resource.isUnnamed === true && members?.id !== undefined ? undefined : members;
  const plan = planCollection(form, query, target.capabilities, {
    maxPageSize,
    selected,
    expand: expandPlan,
    countsAfterSkip,
    json,
    idStart: json === undefined ? undefined : (entitySet) => entityUrlStart(request.serviceRoot, entitySet),
    keyset:
      resource.keyset === true && (query.shape.apply === undefined || placeOrderOf(query.shape) !== null)
        ? keysetTokenScope(request, execution, target.entitySet)
        : undefined,
  });
  return { request, format, resource, plan, execution };
}

function readPage(planned: PlannedPage, execution: Execution): Maybe<ReadPage> {
  const { request, resource, plan } = planned;
  const { reader, maxEntities } = execution;
  // A response that has begun could not become an error.
  const isWhole = hasNoReferences(resource) || mayOutgrowLinks(request) || showsVirtual(plan.query.shape.selectExpand);
  const open = isWhole ? runCollection : openCollection;
  return chain(open(plan, resource.rows(execution), reader, maxEntities), (result): Maybe<ReadPage> => {
    const { query, expand } = plan;
    const run: ExpandRequest = { ...reader, values: query.values, maxEntities, links: query.links };
    if (result instanceof CollectionStream) return readStream(plan, new Parts(plan, result, run, execution));
    return chain(expandPart(expand, query.shape.entityType, result, run), (part): Maybe<PageToWrite> => {
      const parts: PageToWrite["parts"] = [part, ...(result.further ?? [])];
      for (const each of parts) execution.countEntities(each.total ?? sizeOf(each));
      if (part.isCut === true && result.nextLink !== undefined) throw tooManyBytes("The page");
      const page = { ...result, hasMore: result.hasMore || part.isCut === true };
      if (resource.referencesOnly === true) return { ...page, parts };
      return chain(startAll(parts.map((each) => () => showPart(each, query.shape, reader))), (shown) => {
        const [first = part, ...further] = shown;
        return { ...page, parts: [first, ...further] };
      });
    });
  });
}

/** Gives the entities of a part the values of their virtual properties. */
function showPart(part: PagePart, shape: QueryShape, reader: Reader): Maybe<PagePart> {
  const { selectExpand, entityType } = part.shape ?? shape;
  if (!showsVirtual(selectExpand)) return part;
  return chain(showEntities(part, selectExpand, entityType, reader), (shown) => ({ ...part, ...shown }));
}

/** The options that decide which rows are returned, and their order; all others may change from page to page. */
const ROW_OPTIONS: readonly string[] = ["$filter", "$orderby", "$search"];

/**
 * Returns the scope of a request's keyset tokens: a token is valid for one service, set, user and query.
 * @throws Error for a user without an identity, when the service has no `tokenScope` either
 */
function keysetTokenScope(request: AuthorizedRequest, execution: Execution, entitySet: EntitySet): TokenScope {
  const { definition, seal } = request.service;
  if (seal === null) throw new Error(`${entitySet.name} has keyset paging, but its service has no secret.`);
  const { system, aliases } = request.options.options;
  const context = shapeKey([
    definition.name,
    definition.prefix,
    entitySet.name,
    ownerOf(execution, entitySet),
    ...tenantOf(execution, entitySet),
    ...ROW_OPTIONS.map((name) => system.get(name)),
    // Names that $compute defines may be in the order.
    ...(system.has("$compute") ? [system.get("$compute")] : []),
    ...(system.has("$apply") ? ["$apply", system.get("$apply")] : []),
    ...[...aliases].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat(),
  ]);
  return { seal, context };
}

/** Returns the name of the tenant whose rows a token continues; nothing if all tenants share a database. */
function tenantOf({ service, context }: Execution, entitySet: EntitySet): readonly string[] {
  const tenant = definitionIn(service.definition, entitySet).database?.tenantOf?.(context);
  return tenant === undefined ? [] : [tenant];
}

/** Returns a string that identifies the owner of tokens; undefined for an anonymous request. */
function ownerOf(execution: Execution, { name }: EntitySet): string | undefined {
  const { tokenScope: scopeOf } = execution.service.definition;
  if (scopeOf !== undefined) {
    // JavaScript may return anything, such as a promise, which would be the same string for all users.
    const scope: unknown = scopeOf(ruleContextOf(execution.context));
    if (typeof scope === "string") return scope;
    throw new TypeError(
      "`tokenScope` of odataService did not return a string: return a string that identifies the user or tenant.",
    );
  }
  const { user } = execution.access;
  if (user === null) return undefined;
  const id: unknown = typeof user === "object" ? Reflect.get(user, "id") : user;
  if ((typeof id === "string" && id !== "") || typeof id === "bigint" || Number.isFinite(id)) {
    return `${typeof id} ${String(id)}`;
  }
  throw new Error(
    `${name} has keyset paging, but the user of the request has no \`id\` that its tokens could belong to: return one from \`authenticate\`, or give odataService a \`tokenScope\`.`,
  );
}

/**
 * Reads a page in parts. A page that turns out to be short is whole. Otherwise the response begins with the parts read so
 * far, and the others are read as fast as the client reads.
 * @throws errors of reading, before the response begins
 * @see docs/explanations/how-a-request-runs.md
 */
async function readStream(plan: CollectionPlan, parts: Parts): Promise<ReadPage> {
  const { stream } = parts;
  const countAll = (): Maybe<PageToWrite["count"]> => (plan.query.count ? stream.count() : undefined);
  try {
    const first = (await parts.next()) ?? NO_ENTITIES;
    const others: PagePart[] = [];
    while (parts.total <= SHORT_PAGE) {
      const part = await parts.next();
      if (part === null) {
        const count = await countAll();
        const { nextLink, hasMore } = stream;
        return { parts: [first, ...others], count, nextLink, hasMore };
      }
      others.push(part);
    }
    const count = await countAll();
    await checkLength(stream, plan.page.size, parts.limit);
    return { parts: [first, ...others], count, others: parts };
  } catch (error) {
    stream.close();
    throw error;
  }
}

/** Reads the related entities of a part of a page, unless they are in its JSON. */
function expandPart(
  plan: ExpandPlan | null,
  entityType: EntityType,
  part: CollectionPart,
  run: ExpandRequest,
): Maybe<ExpandedPart> {
  if (plan === null) return part;
  if (part.json !== undefined) return { ...part, total: part.json.total };
  const { entities, rowShape, joined, lastAt: findLast } = part;
  const expanded = expandFitting(plan, { entities, rowShape, entityType, joined }, run);
  return chain(expanded, (page) => ({ ...page, rowShape, lastAt: findLast }));
}

interface ExpandedPart extends PagePart {
  /** Whether the page ends here, because the expansions of the next entity do not fit. */
  readonly isCut?: boolean;
}

const NO_ENTITIES: PagePart = Object.freeze({ entities: Object.freeze([]), rowShape: undefined });

/** The parts of one page, with their expansions. */
class Parts {
  readonly stream: CollectionStream;
  readonly #plan: CollectionPlan;
  readonly #run: ExpandRequest;
  readonly #execution: Execution;
  /** The number of entities so far, expansions included. */
  total = 0;

  /** @param run its limit is that of the whole response */
  constructor(plan: CollectionPlan, stream: CollectionStream, run: ExpandRequest, execution: Execution) {
    this.#plan = plan;
    this.stream = stream;
    this.#run = run;
    this.#execution = execution;
  }

  /** The greatest number of entities in the response; null: no limit. */
  get limit(): number | null {
    return this.#run.maxEntities;
  }

  /** Returns the next part; null after the last. @throws ODataError above the limit of the response */
  async next(): Promise<PagePart | null> {
    const part = await this.stream.next();
    if (part === null) return null;
    const { query, expand } = this.#plan;
    const { maxEntities } = this.#run;
    const left = maxEntities === null ? null : maxEntities - this.total;
    if (left !== null && sizeOf(part) > left) throw tooManyEntities(maxEntities ?? 0);
    const run = { ...this.#run, before: this.total, snapshot: this.stream.snapshot };
    const expanded = await expandPart(expand, query.shape.entityType, part, run);
    const length = expanded.total ?? sizeOf(expanded);
    if (left !== null && length > left) throw tooManyEntities(maxEntities ?? 0);
    this.total += length;
    this.#execution.countEntities(length);
    if (expanded.isCut === true) this.stream.cut(sizeOf(part) - sizeOf(expanded));
    return expanded;
  }
}

/** A long page whose first parts are read. The others are read while the response is sent. */
interface BegunPage extends Pick<PageToWrite, "parts" | "count"> {
  readonly others: Parts;
}

function begunResponse(planned: PlannedPage, { parts, count, others }: BegunPage): ODataResponse {
  const { request, plan, execution } = planned;
  const { stream } = others;
  const { nextLink } = stream;
  /** The parts that were written last, and the number of entities before them. */
  let [known, before]: readonly [readonly PagePart[], number] = [parts, 0];
  const linkAfter = (length: number): string => {
    stream.cut(0);
    return ownNextLink(request, plan, length, lastAt(known, length - before));
  };
  try {
    const [first, ...further] = parts;
    const chunks = streamCollection({
      contextUrl: contextUrlOf(planned),
      serviceRoot: request.serviceRoot,
      count,
      parts: [toPayload(planned, first), ...further.map((part) => toPayload(planned, part))],
      next: async () => {
        const part = await others.next();
        if (part === null) return null;
        const last = known.slice(-1);
        before += known.slice(0, -1).reduce((sum, each) => sum + sizeOf(each), 0);
        known = [...last, part];
        return toPayload(planned, part);
      },
      nextLink: () => nextLink ?? (stream.hasMore ? linkAfter(stream.length) : undefined),
      end: { bytes: writtenBytes(execution), linkAfter: nextLink === undefined ? linkAfter : null },
    });
    return bodyResponse(planned, closing(chunks, stream), nextLink);
  } catch (error) {
    stream.close();
    throw error;
  }
}

/** Refuses a response that would break off at its limit. */
async function checkLength(stream: CollectionStream, size: number | undefined, limit: number | null): Promise<void> {
  if (limit === null || (size !== undefined && size <= limit)) return;
  const length = await stream.remaining();
  if (length !== null && length > limit) throw tooManyEntities(limit);
}

/** Returns chunks whose reader may leave at any time, even before the first chunk: that closes the stream. */
function closing(chunks: AsyncGenerator<Uint8Array, void, void>, stream: CollectionStream): AsyncIterable<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      try {
        return await chunks.next();
      } catch (error) {
        stream.close();
        throw error;
      }
    },
    return: () => {
      stream.close();
      return chunks.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/**
 * Returns the members of entities that are written with nothing but values, and the ids of entities without expansions, at all
 * levels of the expansions; undefined if there is other control information.
 */
function jsonMembers(
  { routes }: { readonly routes: EntityRoutes },
  origin: EntityOrigin,
  clause: SelectExpandClause,
  expand: ExpandPlan | null,
  { metadata, ieee754Compatible }: PayloadFormat,
): JsonMembers | undefined {
  if (metadata === "full" || ieee754Compatible) return undefined;
  const hasControl = metadata !== "none";
  if (hasControl && origin.kind === "EntitySet") {
    if (origin.etag.length > 0) return undefined;
    if (routes.isReadByKey(origin) && !selectsKey(clause, origin.entityType)) {
      return expand === null ? (planNamedJson(clause, origin) ?? undefined) : undefined;
    }
  }
  return planJson(clause, expand, hasControl) ?? undefined;
}
