import { BodyBuffer, bodyWasRead, payloadTooLarge, truncatedBody } from "./body-buffer.ts";
import { readContentLength } from "./content-headers.ts";
import type { ODataRequest } from "./odata-request.ts";

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
