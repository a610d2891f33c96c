import { chain, type Maybe } from "../base/maybe.ts";
import type { EntityType } from "../edm/model.ts";
import { type CollectionPart, sizeOf } from "../execution/collection-result.ts";
import type { CollectionStream } from "../execution/collection-stream.ts";
import { tooManyEntities } from "../execution/run-collection.ts";
import { type ExpandRequest, runExpand } from "../execution/run-expand.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { streamCollection } from "../payload/write-collection.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import { SHORT_PAGE } from "../plan/plan-paging.ts";
import {
  bodyResponse,
  contextUrlOf,
  ownNextLink,
  type PagePart,
  type PageRequest,
  pageResponse,
  toPayload,
} from "./collection-page.ts";

/**
 * Makes the response with a page that is read in parts. A page that turns out to be short is written at once. Otherwise the
 * response begins with the parts read so far, and the others are read as fast as the client reads.
 * @param run its limit is that of the whole response
 * @throws errors of reading, before the response begins
 * @see docs/explanations/how-a-request-runs.md
 */
export async function streamResponse(
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
export function expandPart(
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
