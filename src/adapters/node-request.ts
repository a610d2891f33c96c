import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { bodyWasRead } from "../http/body-buffer.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { readMessage } from "./node-body.ts";

/** An `IncomingMessage` as the service reads it: headers and signal are made only when asked for. */
class NodeODataRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #awaitsContinue: boolean;
  #headers: Headers | undefined;
  #controller: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    this.#message = message;
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
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

  get isAborted(): boolean {
    return this.#controller?.signal.aborted ?? this.#message.socket.destroyed;
  }

  get hasBody(): boolean {
    const { headers } = this.#message;
    return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  }

  readBody(maxBytes: number | null): Uint8Array | Promise<Uint8Array> {
    if (!this.hasBody) return new Uint8Array(0);
    if (this.#message.readableDidRead) throw bodyWasRead();
    // The client holds its body back until it is asked for.
    if (this.#awaitsContinue) this.#response.writeContinue();
    return readMessage(this.#message, maxBytes);
  }
}

/**
 * Reads a request of `node:http`, without a copy of anything.
 * @param response the response to it: its end is the end of what the signal watches
 * @param awaitsContinue whether the client waits for `100 Continue`, which nobody has sent yet
 */
export function fromIncomingMessage(
  message: IncomingMessage,
  response: ServerResponse,
  awaitsContinue = false,
): ODataRequest {
  return new NodeODataRequest(message, response, awaitsContinue);
}

/** The path and query of a request target, which a proxy's client may send with scheme and authority. */
function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target;
  const scheme = target.indexOf("://");
  if (scheme < 0) return `/${target}`;
  const path = target.indexOf("/", scheme + 3);
  return path < 0 ? "/" : target.slice(path);
}
