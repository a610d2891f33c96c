import { chain, type Maybe } from "../base/maybe.ts";
import { ruleContextOf } from "../definition/context.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import { sizeOf, type CollectionPart } from "../execution/entities/collection-result.ts";
import { CollectionStream } from "../execution/reads/collection-stream.ts";
import { openCollection, runCollection, tooManyEntities } from "../execution/reads/run-collection.ts";
import { type ExpandRequest, runExpand } from "../execution/reads/run-expand.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { entityUrlStart } from "../payload/entity-url.ts";
import { streamCollection } from "../payload/write-collection.ts";
import type { TokenScope } from "../plan/keyset-token.ts";
import { planCollection } from "../plan/plan-collection.ts";
import { planExpand, type ExpandPlan } from "../plan/plan-expand.ts";
import { SHORT_PAGE } from "../plan/plan-paging.ts";
import { keyProperties, propertiesToRead } from "../plan/properties-to-read.ts";
import { shapeKey } from "../query/clauses.ts";
import { bindCollection, returnedBy } from "./bind-query.ts";
import {
  type CollectionResource,
  hasNoReferences,
  type PageRequest,
  pageResponse,
  bodyResponse,
  contextUrlOf,
  ownNextLink,
  type PagePart,
  toPayload,
} from "./collection-page.ts";
import { jsonMembers } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { mayOutgrowLinks } from "./sent-options.ts";

/**
 * Makes the response with one page of a collection: binds the query options, plans, reads, expands and writes.
 * @throws ODataError for a query option, or the error of a handler
 * @see docs/reference/entity-sets.md
 */
export function collectionResponse(
  exchange: Exchange,
  format: JsonFormat,
  resource: CollectionResource,
): ODataResponse | PromiseLike<ODataResponse> {
  const { target, rules, form, rows, selectPushdownEnabled, countsAfterSkip } = resource;
  const { service } = exchange;
  const { definition } = service;
  const isReturned = form === "get-all" || form === "apply-query";
  const query = bindCollection(exchange, isReturned ? returnedBy(target) : target, rules);
  const { selectExpand, entityType } = query.shape;
  const expandPlan = planExpand(selectExpand, definition);
  const needed = propertiesToRead(target.entitySet, selectExpand, {
    // Links contain the key, and handlers of expansions are called with it.
    key: format.metadata !== "none" || expandPlan?.needsKey === true,
    pushdown: selectPushdownEnabled,
    join: expandPlan?.joinProperties,
  });
  const selected = resource.referencesOnly === true ? keyProperties(entityType) : needed;
  const { maxPageSize } = exchange.preferences;
  const { origin } = resource;
  const members =
    resource.referencesOnly === true ? undefined : jsonMembers(service, origin, selectExpand, expandPlan, format);
  const json = resource.isUnnamed === true && members?.id !== undefined ? undefined : members;
  const plan = planCollection(form, query, target.capabilities, {
    maxPageSize,
    selected,
    expand: expandPlan,
    countsAfterSkip,
    json,
    idStart:
      json?.id === undefined || origin.kind !== "EntitySet" ? undefined : entityUrlStart(exchange.serviceRoot, origin),
    keyset: resource.keyset === true ? keysetTokenScope(exchange, target.entitySet) : undefined,
  });
  const { reader, maxEntities } = exchange;
  const request: PageRequest = { exchange, format, resource, plan };
  // A response that has begun could not become an error.
  const isWhole = hasNoReferences(resource) || mayOutgrowLinks(exchange);
  const open = isWhole ? runCollection : openCollection;
  return chain(open(plan, rows, reader, maxEntities), (result) => {
    const run: ExpandRequest = { ...reader, values: query.values, maxEntities };
    if (result instanceof CollectionStream) return streamResponse(request, result, run);
    return chain(expandPart(expandPlan, entityType, result, run), (part) => {
      exchange.countEntities(part.total ?? sizeOf(part));
      return pageResponse(request, { ...result, parts: [part] });
    });
  });
}

/** The options that decide which rows are returned, and their order; all others may change from page to page. */
const ROW_OPTIONS: readonly string[] = ["$filter", "$orderby", "$search"];

/**
 * Returns the scope of a request's keyset tokens: a token is valid for one service, set, user and query.
 * @throws Error for a user without an identity, when the service has no `tokenScope` either
 */
function keysetTokenScope(exchange: Exchange, entitySet: EntitySet): TokenScope {
  const { definition, seal } = exchange.service;
  if (seal === null) throw new Error(`${entitySet.name} has keyset paging, but its service has no secret.`);
  const { system, aliases } = exchange.options.options;
  const context = shapeKey([
    definition.name,
    definition.prefix,
    entitySet.name,
    ownerOf(exchange, entitySet),
    ...ROW_OPTIONS.map((name) => system.get(name)),
    ...[...aliases].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat(),
  ]);
  return { seal, context };
}

/** Returns a string that identifies the owner of tokens; undefined for an anonymous request. */
function ownerOf(exchange: Exchange, { name }: EntitySet): string | undefined {
  const { tokenScope: scopeOf } = exchange.service.definition;
  if (scopeOf !== undefined) {
    // JavaScript may return anything, such as a promise, which would be the same string for all users.
    const scope: unknown = scopeOf(ruleContextOf(exchange.context));
    if (typeof scope === "string") return scope;
    throw new TypeError(
      "`tokenScope` of odataService did not return a string: return one that identifies the user or tenant.",
    );
  }
  const { user } = exchange;
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
 * Makes the response with a page that is read in parts. A page that turns out to be short is written at once. Otherwise the
 * response begins with the parts read so far, and the others are read as fast as the client reads.
 * @param run its limit is that of the whole response
 * @throws errors of reading, before the response begins
 * @see docs/explanations/how-a-request-runs.md
 */
async function streamResponse(
  request: PageRequest,
  stream: CollectionStream,
  run: ExpandRequest,
): Promise<ODataResponse> {
  const parts = new Parts(request, stream, run);
  try {
    const first = (await parts.next()) ?? NO_ENTITIES;
    const others: PagePart[] = [];
    while (parts.total <= SHORT_PAGE) {
      const part = await parts.next();
      if (part === null) return await wholeResponse(request, stream, [first, ...others]);
      others.push(part);
    }
    return await longResponse(request, stream, parts, [first, ...others]);
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
): Maybe<PagePart> {
  if (plan === null) return part;
  if (part.json !== undefined) return { ...part, total: part.json.total };
  const { entities, rowShape, joined } = part;
  const expanded = runExpand(plan, { entities, rowShape, entityType, joined }, run);
  return chain(expanded, (page) => ({ entities: page.entities, rowShape, total: page.total }));
}

const NO_ENTITIES: PagePart = Object.freeze({ entities: Object.freeze([]), rowShape: undefined });

/** The parts of one page, with their expansions. */
class Parts {
  readonly #request: PageRequest;
  readonly #stream: CollectionStream;
  readonly #run: ExpandRequest;
  /** The number of entities so far, expansions included. */
  total = 0;

  constructor(request: PageRequest, stream: CollectionStream, run: ExpandRequest) {
    this.#request = request;
    this.#stream = stream;
    this.#run = run;
  }

  /** The greatest number of entities in the response; null: no limit. */
  get limit(): number | null {
    return this.#run.maxEntities;
  }

  /** Returns the next part; null after the last. @throws ODataError above the limit of the response */
  async next(): Promise<PagePart | null> {
    const part = await this.#stream.next();
    if (part === null) return null;
    const { query, expand } = this.#request.plan;
    const { maxEntities } = this.#run;
    const left = maxEntities === null ? null : maxEntities - this.total;
    if (left !== null && sizeOf(part) > left) throw tooManyEntities(maxEntities ?? 0);
    const run = { ...this.#run, before: this.total, snapshot: this.#stream.snapshot };
    const expanded = await expandPart(expand, query.shape.entityType, part, run);
    const length = expanded.total ?? sizeOf(expanded);
    if (left !== null && length > left) throw tooManyEntities(maxEntities ?? 0);
    this.total += length;
    this.#request.exchange.countEntities(length);
    return expanded;
  }
}

type ReadParts = readonly [PagePart, ...(readonly PagePart[])];

async function wholeResponse(request: PageRequest, stream: CollectionStream, parts: ReadParts): Promise<ODataResponse> {
  const { nextLink, hasMore, last } = stream;
  const count = request.plan.query.count ? await stream.count() : undefined;
  return pageResponse(request, { parts, count, nextLink, hasMore, last });
}

async function longResponse(
  request: PageRequest,
  stream: CollectionStream,
  parts: Parts,
  read: ReadParts,
): Promise<ODataResponse> {
  const { exchange, plan } = request;
  const count = plan.query.count ? await stream.count() : undefined;
  await checkLength(stream, plan.page.size, parts.limit);
  const [first, ...others] = read;
  const { nextLink } = stream;
  const chunks = streamCollection({
    contextUrl: contextUrlOf(request),
    serviceRoot: exchange.serviceRoot,
    count,
    parts: [toPayload(request, first), ...others.map((part) => toPayload(request, part))],
    next: async () => {
      const part = await parts.next();
      return part === null ? null : toPayload(request, part);
    },
    nextLink: () => nextLink ?? (stream.hasMore ? ownNextLink(exchange, plan, stream.length, stream.last) : undefined),
  });
  return bodyResponse(request, closing(chunks, stream), nextLink);
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
