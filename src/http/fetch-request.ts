import { protocolError } from "../base/errors/odata-error.ts";
import { streamOf, streamOfChunks } from "./body-stream.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";
import type { ODataRequest } from "./odata-request.ts";
import type { ODataResponse } from "./odata-response.ts";
import {
  BodyBuffer,
  bodyWasRead,
  payloadTooLarge,
  truncatedBody,
  readContentLength,
  checkBodyHeaders,
} from "./read-json-body.ts";

/** The facts that only the host of a Fetch `Request` knows. */
interface FetchHostFacts {
  /** The path below which the host mounted the service; empty if absent. */
  readonly mountPath?: string;
  /** The request as the host knows it; the `Request` if undefined. */
  readonly hostRequest?: unknown;
  /** Reads the body again if other code of the host has read it. */
  readonly readBytes?: () => Promise<Uint8Array>;
}

/** A Fetch `Request` as the service reads it. */
class FetchODataRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly scheme: string;
  readonly host: string;
  readonly mountPath: string;
  readonly hostRequest: unknown;
  readonly #request: Request;
  readonly #readBytes: FetchHostFacts["readBytes"];

  constructor(request: Request, { mountPath = "", hostRequest = request, readBytes }: FetchHostFacts) {
    this.#request = request;
    this.mountPath = mountPath;
    this.hostRequest = hostRequest;
    this.#readBytes = readBytes;
    this.method = request.method;
    const { url } = request;
    const authority = url.indexOf("://") + 3;
    this.scheme = url.slice(0, authority - 3);
    const end = endOfAuthority(url, authority);
    this.host = url.slice(url.lastIndexOf("@", end) >= authority ? url.lastIndexOf("@", end) + 1 : authority, end);
    const fragment = url.indexOf("#", end);
    const target = fragment < 0 ? url.slice(end) : url.slice(end, fragment);
    const below = target.slice(mountPath.length);
    this.target = below.startsWith("/") ? below : `/${below}`;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  get headers(): Headers {
    return this.#request.headers;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get hasBody(): boolean {
    return this.#request.body !== null;
  }

  readBody(maxBytes: number | null): Uint8Array | Promise<Uint8Array> {
    const { body, bodyUsed } = this.#request;
    if (body === null) return new Uint8Array(0);
    if (bodyUsed && this.#readBytes !== undefined) return readBytes(this.#readBytes, maxBytes);
    if (bodyUsed || body.locked) throw bodyWasRead();
    const announced = readContentLength(this.header("content-length"));
    return readStream(body.getReader(), new BodyBuffer(maxBytes, announced));
  }

  streamBody(): ReadableStream<Uint8Array> {
    const { body, bodyUsed } = this.#request;
    if (body === null) return streamOf(new Uint8Array(0));
    const read = this.#readBytes;
    if (bodyUsed && read !== undefined) return streamOfChunks(chunkOf(read));
    if (bodyUsed || body.locked) throw bodyWasRead();
    return body;
  }
}

/** Reads a stream to its end. Cancels it above the limit. */
async function readStream(reader: ReadableStreamDefaultReader<Uint8Array>, buffer: BodyBuffer): Promise<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw truncatedBody(error);
    });
    if (done) return buffer.end();
    try {
      buffer.add(value);
    } catch (error) {
      reader.cancel().catch(() => undefined);
      throw error;
    }
  }
}

async function* chunkOf(read: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield await readBytes(read, null);
}

/** Reads a body that the host keeps. @throws Error if the host does not keep it */
async function readBytes(read: () => Promise<Uint8Array>, maxBytes: number | null): Promise<Uint8Array> {
  const bytes = await read().catch(() => {
    throw bodyWasRead();
  });
  if (maxBytes !== null && bytes.length > maxBytes) throw payloadTooLarge(maxBytes);
  return bytes;
}

/** Reads a Fetch `Request`. The URL stays as the client sent it, unless the runtime has normalised it. */
export function fromFetchRequest(request: Request, facts: FetchHostFacts = {}): ODataRequest {
  return new FetchODataRequest(request, facts);
}

function endOfAuthority(url: string, start: number): number {
  for (let index = start; index < url.length; index++) {
    const character = url[index];
    if (character === "/" || character === "?" || character === "#") return index;
  }
  return url.length;
}

/** Statuses for which a Fetch `Response` accepts no body, not even an empty one. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Creates a Fetch `Response`. It pulls chunks as fast as the client reads them.
 * @param onFailure called when the body fails after the response has begun
 */
export function toFetchResponse(response: ODataResponse, onFailure: (error: unknown) => void): Response {
  const { status, headers, body } = response;
  if (body === null || BODILESS.has(status)) return new Response(null, { status, headers });
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
    return new Response(bytes, { status, headers: { ...headers, "Content-Length": String(bytes.byteLength) } });
  }
  return new Response(toReadableStream(body, onFailure), { status, headers });
}

function toReadableStream(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await iterator.next();
        // The client may have disconnected meanwhile. A closed stream accepts no chunks.
        if (isCancelled) return;
        if (next.done === true) controller.close();
        else controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
      } catch (error) {
        onFailure(error);
        // A body that ends early must not look complete.
        controller.error(error);
      }
    },
    async cancel() {
      isCancelled = true;
      await iterator.return?.();
    },
  });
}

const QUERY_SEGMENT = /\/(?:\$|%24)query\/?$/;

/**
 * Returns the path of a resource whose query options are in the body of the request; null for any other path. Clients
 * encode the dollar sign, or end paths with a slash.
 * @see OData Protocol 4.01, section 11.2.11; docs/reference/long-queries.md
 */
export function withoutQuerySegment(path: string): string | null {
  const end = path.search(QUERY_SEGMENT);
  return end < 0 ? null : path.slice(0, end);
}

/** ASCII is part of UTF-8. */
const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

/**
 * Checks the length, coding and type of a body with query options by its headers, before any byte is read.
 * @param maxBytes the most bytes to read; null for no limit
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 */
export function checkQueryHeaders(request: ODataRequest, maxBytes: number | null): void {
  checkBodyHeaders(request, maxBytes);
  const header = request.header("content-type") ?? "";
  if (header.trim() === "" && !request.hasBody) return;
  const [type = "", ...parameters] = splitHeaderList(header, ";");
  const charset = parameters.map(readHeaderParameter).find(({ name }) => name === "charset");
  const isText = type.toLowerCase() === "text/plain";
  if (isText && (charset === undefined || CHARSETS.has(charset.value.toLowerCase()))) return;
  throw protocolError("UnsupportedMediaType", "The query options of $query are sent as text/plain in UTF-8.", {
    target: "Content-Type",
  });
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a body with query options. Characters that a URL cannot contain are encoded, so next links can repeat the options.
 * @see RFC 3986, section 3.4
 * @returns the query string, without a question mark
 * @throws ODataError `InvalidBody` for bytes that are not UTF-8, and for a leading question mark
 */
export function readQueryText(bytes: Uint8Array): string {
  const text = decode(bytes).replace(/[\r\n]+$/, "");
  if (text.startsWith("?")) {
    throw protocolError("InvalidBody", "The body begins with a question mark: send the query options only.");
  }
  // Percent signs belong to characters that are already encoded.
  return encodeURI(text).replaceAll("%25", "%").replaceAll("#", "%23");
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw protocolError("InvalidBody", "The body is not UTF-8.", { cause });
  }
}
