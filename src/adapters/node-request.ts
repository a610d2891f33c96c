import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ODataRequest } from "../http/odata-request.ts";

/** An `IncomingMessage` as the service reads it: headers and signal are made only when asked for. */
class NodeODataRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  #headers: Headers | undefined;
  #controller: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? "GET";
    this.target = toOriginForm(message.url ?? "/");
  }

  get scheme(): string {
    return (this.#message.socket as Partial<TLSSocket>).encrypted === true ? "https" : "http";
  }

  get host(): string {
    const { host } = this.#message.headers;
    if (host !== undefined && host !== "") return host;
    // HTTP/1.1 asks for the header; where it may be absent, as in HTTP/1.0, the address that was connected to stands in.
    if (this.#message.httpVersion === "1.1") return "";
    const { localAddress = "localhost", localPort } = this.#message.socket;
    const name = localAddress.includes(":") ? `[${localAddress}]` : localAddress;
    return localPort === undefined ? name : `${name}:${String(localPort)}`;
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers();
      for (const [name, values] of Object.entries(this.#message.headersDistinct)) {
        for (const value of values ?? []) this.#headers.append(name, value);
      }
    }
    return this.#headers;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      // A message that was read to its end closes too: only the socket tells that the client is gone.
      const { socket } = this.#message;
      const abort = (): void => controller.abort();
      if (socket.destroyed) {
        abort();
      } else {
        socket.once("close", abort);
        // The connection may serve many requests more: none of them leaves a listener there.
        this.#response.once("finish", () => socket.off("close", abort));
      }
    }
    return this.#controller.signal;
  }

  get body(): AsyncIterable<Uint8Array> | null {
    const { headers } = this.#message;
    const has = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
    return has ? this.#message : null;
  }
}

/**
 * Reads a request of `node:http`, without a copy of anything.
 * @param response the response to it: its end is the end of what the signal watches
 */
export function fromIncomingMessage(message: IncomingMessage, response: ServerResponse): ODataRequest {
  return new NodeODataRequest(message, response);
}

/** The path and query of a request target, which a proxy's client may send with scheme and authority. */
function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target;
  const scheme = target.indexOf("://");
  if (scheme < 0) return `/${target}`;
  const path = target.indexOf("/", scheme + 3);
  return path < 0 ? "/" : target.slice(path);
}
