import { BodyBuffer, bodyWasRead, truncatedBody } from "./body-buffer.ts";
import { readContentLength } from "./content-headers.ts";
import type { ODataRequest } from "./odata-request.ts";

/** A Fetch `Request` as the service reads it. */
class FetchODataRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly scheme: string;
  readonly host: string;
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
    this.method = request.method;
    const { url } = request;
    const authority = url.indexOf("://") + 3;
    this.scheme = url.slice(0, authority - 3);
    const end = endOfAuthority(url, authority);
    this.host = url.slice(url.lastIndexOf("@", end) >= authority ? url.lastIndexOf("@", end) + 1 : authority, end);
    const fragment = url.indexOf("#", end);
    const target = fragment < 0 ? url.slice(end) : url.slice(end, fragment);
    this.target = target.startsWith("/") ? target : `/${target}`;
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

/** Reads a Fetch `Request`. The URL stays as the client sent it, unless the runtime has normalised it. */
export function fromFetchRequest(request: Request): ODataRequest {
  return new FetchODataRequest(request);
}

function endOfAuthority(url: string, start: number): number {
  for (let index = start; index < url.length; index++) {
    const character = url[index];
    if (character === "/" || character === "?" || character === "#") return index;
  }
  return url.length;
}
