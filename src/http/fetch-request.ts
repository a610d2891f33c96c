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

  get body(): AsyncIterable<Uint8Array> | null {
    return this.#request.body;
  }
}

/**
 * Reads a Fetch `Request`. Its URL is taken as text: what the runtime did not normalise stays as the client sent it.
 */
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
