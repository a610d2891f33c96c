import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { bodyWasRead, BodyBuffer } from "../http/body-buffer.ts";
import { readContentLength } from "../http/content-headers.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { gatherBody } from "./node-request.ts";

/** A stream of HTTP/2 as the service reads it. Headers and signal are created on first use. */
export class Http2Request implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly scheme: string;
  readonly host: string;
  readonly hostRequest: unknown;
  readonly #stream: ServerHttp2Stream;
  readonly #fields: IncomingHttpHeaders;
  #headers: Headers | undefined;
  #controller: AbortController | undefined;

  /** @param hostRequest the request as the host knows it; the stream if absent */
  constructor(stream: ServerHttp2Stream, fields: IncomingHttpHeaders, hostRequest: unknown = stream) {
    this.hostRequest = hostRequest;
    this.scheme = stream.session?.encrypted === false ? "http" : "https";
    this.#stream = stream;
    this.#fields = fields;
    this.method = fields[":method"] ?? "GET";
    const { ":path": path = "/" } = fields;
    // `*` of OPTIONS, and paths of other schemes than those of HTTP.
    this.target = path.startsWith("/") ? path : `/${path}`;
    this.host = hostOf(fields);
  }

  header(name: string): string | undefined {
    const value = this.#fields[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers();
      for (const name of Object.keys(this.#fields)) {
        // A pseudo-header is not a header of the request.
        const value = name.startsWith(":") ? undefined : this.header(name);
        if (value !== undefined) this.#headers.append(name, value);
      }
    }
    return this.#headers;
  }

  get remoteAddress(): string | undefined {
    return this.#stream.session?.socket.remoteAddress;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.isGone) controller.abort();
      else {
        this.#stream.once("close", () => {
          if (this.isGone) controller.abort();
        });
      }
    }
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#controller?.signal.aborted ?? this.isGone;
  }

  /** Whether the client has given up this request, or the connection. */
  get isGone(): boolean {
    // Node.js ends the writable side of an aborted stream.
    return this.#stream.aborted || (this.#stream.destroyed && !this.#stream.writableFinished);
  }

  get hasBody(): boolean {
    return !this.#stream.endAfterHeaders;
  }

  readBody(maxBytes: number | null): Uint8Array | Promise<Uint8Array> {
    if (!this.hasBody) return new Uint8Array(0);
    const stream = this.#stream;
    if (stream.readableDidRead) throw bodyWasRead();
    // The client sends its body only after this. @see RFC 9113, section 8.1
    const awaitsContinue = this.header("expect")?.toLowerCase() === "100-continue";
    if (awaitsContinue && !stream.headersSent) stream.additionalHeaders({ ":status": 100 });
    return gatherBody(stream, new BodyBuffer(maxBytes, readContentLength(this.header("content-length"))));
  }
}

/** Returns the host of a request; empty if it names several. @see RFC 9113, section 8.3.1 */
function hostOf({ ":authority": authority, host }: IncomingHttpHeaders): string {
  if (authority === undefined) return host ?? "";
  return host === undefined || host === authority ? authority : "";
}
