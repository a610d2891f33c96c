import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { streamOf, streamOfChunks } from "../../http/body-stream.ts";
import { bytesOfHostBody } from "../../http/host-body.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import {
  bodyWasRead,
  BodyBuffer,
  payloadTooLarge,
  truncatedBody,
  readContentLength,
} from "../../http/read-json-body.ts";

/** The facts that only the host of an `IncomingMessage` knows. */
interface NodeHostFacts {
  /** Whether the client still waits for `100 Continue`. */
  readonly awaitsContinue?: boolean;
  /** The path and query below the mount path; those of the message if absent. */
  readonly target?: string;
  /** The path below which the host mounted the service; empty if absent. */
  readonly mountPath?: string;
  /** The request as the host knows it; the message if absent. */
  readonly hostRequest?: unknown;
  /** The stream of the body, if the host has replaced it. */
  readonly payload?: AsyncIterable<Uint8Array> | undefined;
}

/** A message after a parser of the host: `rawBody` has the bytes in NestJS and Google Cloud Functions. */
interface ParsedMessage extends IncomingMessage {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/**
 * Returns the stream of a request, whose state the compatibility API of HTTP/2 does not show; null for HTTP/1.1. Otherwise
 * the API gives messages of HTTP/2 the members of those of HTTP/1.1.
 * @see https://nodejs.org/api/http2.html#compatibility-api
 */
export function http2StreamOf(message: IncomingMessage | undefined): ServerHttp2Stream | null {
  return message?.httpVersionMajor === 2 ? (message as unknown as { readonly stream: ServerHttp2Stream }).stream : null;
}

/** A message of `node:http` or `node:http2` as the service reads it. Headers and signal are created on first use. */
class NodeODataRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  /** Null for HTTP/1.1. */
  readonly #stream: ServerHttp2Stream | null;
  readonly mountPath: string;
  readonly hostRequest: unknown;
  readonly #facts: NodeHostFacts;
  /** Null for a target that is a path, and for HTTP/2. */
  readonly #absolute: AbsoluteForm | null;
  #host: string | undefined;
  #headers: Headers | undefined;
  #controller: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, facts: NodeHostFacts) {
    this.#message = message;
    this.#response = response;
    this.#stream = http2StreamOf(message);
    this.#facts = facts;
    this.mountPath = facts.mountPath ?? "";
    this.hostRequest = facts.hostRequest ?? message;
    this.method = message.method ?? "GET";
    const url = message.url ?? "/";
    this.#absolute = url.startsWith("/") || this.#stream !== null ? null : readAbsoluteForm(url);
    // `*` of OPTIONS, and paths of other schemes than those of HTTP.
    const path = url.startsWith("/") ? url : `/${url}`;
    this.target = facts.target ?? this.#absolute?.target ?? path;
  }

  get scheme(): string {
    if (this.#absolute !== null && this.#absolute.scheme !== "") return this.#absolute.scheme;
    return (this.#message.socket as Partial<TLSSocket>).encrypted === true ? "https" : "http";
  }

  get remoteAddress(): string | undefined {
    // A simulated request may have no socket.
    return (this.#message as Partial<IncomingMessage>).socket?.remoteAddress;
  }

  get host(): string {
    return (this.#host ??= this.#stream === null ? this.#readHost() : this.#readAuthority());
  }

  /** Returns the host of a request of HTTP/2; empty if it names several. @see RFC 9113, section 8.3.1 */
  #readAuthority(): string {
    const { host, ":authority": authority = host ?? "" } = this.#message.headers;
    return host === undefined || host === authority ? String(authority) : "";
  }

  #readHost(): string {
    // The header is required exactly once, even if the target names the authority. @see RFC 9112, sections 3.2 and 3.2.2
    const repeated = this.#repeatedHost();
    if (repeated !== undefined) return repeated;
    const { host = "" } = this.#message.headers;
    if (host === "" && this.#message.httpVersion === "1.1") return "";
    const authority = this.#absolute?.authority ?? null;
    if (authority !== null) return authority;
    if (host !== "") return host;
    // HTTP/1.0 does not require the header. Fall back to the address of the connection.
    const { localAddress = "localhost", localPort } = this.#message.socket;
    const name = localAddress.includes(":") ? `[${localAddress}]` : localAddress;
    return localPort === undefined ? name : `${name}:${String(localPort)}`;
  }

  /** Returns all Host headers if there are several; `headers` has only the first. */
  #repeatedHost(): string | undefined {
    const { rawHeaders } = this.#message;
    let first: string | undefined;
    let all: string | undefined;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at];
      if (name?.length !== 4 || name.toLowerCase() !== "host") continue;
      const value = rawHeaders[at + 1] ?? "";
      if (first !== undefined) all = `${all ?? first}, ${value}`;
      first ??= value;
    }
    return all;
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers();
      for (const [name, value] of sentHeaders(this.#message)) {
        // A pseudo-header of HTTP/2 is not a header of the request.
        if (!name.startsWith(":")) this.#headers.append(name, value);
      }
    }
    return this.#headers;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      // A message also closes once it is read. Only the stream of HTTP/2, or the socket, shows that the client has gone.
      const connection = this.#stream ?? this.#message.socket;
      const abort = (): void => {
        if (this.#stream === null || this.#isGone) controller.abort();
      };
      if (this.#isGone) {
        controller.abort();
      } else if (emitsEvents(connection)) {
        connection.once("close", abort);
        // The connection may serve many more requests. None of them may leave a listener on it.
        if (this.#stream === null) this.#response.once("finish", () => connection.off("close", abort));
      }
    }
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#controller?.signal.aborted ?? this.#isGone;
  }

  /** Whether the client has given up this request, or its connection. */
  get #isGone(): boolean {
    const stream = this.#stream;
    if (stream === null) return this.#message.socket.destroyed;
    // Node.js ends the writable side of an aborted stream.
    return stream.aborted || (stream.destroyed && !stream.writableFinished);
  }

  get hasBody(): boolean {
    return this.#stream === null ? announcesBody(this.#message) : !this.#stream.endAfterHeaders;
  }

  readBody(maxBytes: number | null): Uint8Array | Promise<Uint8Array> {
    if (!this.hasBody) return new Uint8Array(0);
    const { payload, awaitsContinue } = this.#facts;
    if (payload !== undefined && payload !== this.#message) return readPayload(payload, maxBytes);
    const source = this.#stream ?? this.#message;
    if (source.readableDidRead) return this.#readParsed(maxBytes);
    // The client sends its body only after this.
    if (awaitsContinue === true) this.#response.writeContinue();
    const buffer = new BodyBuffer(maxBytes, readContentLength(this.header("content-length")));
    if (this.#stream !== null || !this.#message.complete) return gatherBody(source, buffer);
    if (maxBytes !== null && source.readableLength > maxBytes) throw payloadTooLarge(maxBytes);
    const bytes: unknown = source.read();
    if (bytes instanceof Uint8Array) buffer.add(bytes);
    return buffer.end();
  }

  streamBody(): ReadableStream<Uint8Array> {
    const { payload, awaitsContinue } = this.#facts;
    if (!this.hasBody) return streamOf(new Uint8Array(0));
    const replaced = payload === undefined || payload === this.#message ? null : payload;
    if (replaced !== null && !isStream(replaced)) return streamOfChunks(replaced);
    const source = replaced ?? this.#stream ?? this.#message;
    if (source.readableDidRead) return streamOf(this.#readParsed(null));
    // The client sends its body only after this.
    if (awaitsContinue === true) this.#response.writeContinue();
    return streamOfBody(source);
  }

  /** Returns the body that a parser of the host has left. */
  #readParsed(maxBytes: number | null): Uint8Array {
    const { body, rawBody } = this.#message as ParsedMessage;
    const left = rawBody instanceof Uint8Array ? rawBody : body;
    if (left === undefined) throw bodyWasRead();
    return bytesOfHostBody(left, this.header("content-type") ?? "", maxBytes);
  }
}

/**
 * Returns the headers as the client sent them. Packages that simulate requests, for tests or for serverless platforms, may leave
 * out the raw headers, or `headersDistinct`: then the combined headers count. It is not read, because it throws in older
 * versions of Node.js if a client sends a header named `__proto__`.
 */
function sentHeaders(message: IncomingMessage): ReadonlyArray<readonly [name: string, value: string]> {
  const { headers, rawHeaders } = message;
  if (rawHeaders.length === 0 || !("headersDistinct" in message)) {
    return Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === "object" ? values : [values ?? ""]).map((value) => [name, value] as const),
    );
  }
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : []));
}

/** Returns whether a socket reports its end. A simulated one may be any object. */
function emitsEvents(socket: object): boolean {
  return "once" in socket;
}

/** Returns whether the headers of HTTP/1.1 announce a body. Simulated requests may have a number there. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

/**
 * Reads a request of `node:http`, or of the compatibility API of `node:http2`, without copying it.
 * @param response the response to it; the signal stops watching the connection when it finishes
 */
export function fromIncomingMessage(
  message: IncomingMessage,
  response: ServerResponse,
  facts: NodeHostFacts = {},
): ODataRequest {
  return new NodeODataRequest(message, response, facts);
}

/** Returns the raw path and query of a request target, without scheme and authority. */
export function targetOf(url: string): string {
  return url.startsWith("/") ? url : readAbsoluteForm(url).target;
}

/** A request target that does not begin with a slash. */
interface AbsoluteForm {
  /** Empty if the target has none. */
  readonly scheme: string;
  readonly authority: string | null;
  readonly target: string;
}

/** Reads a target with scheme and authority, which override the connection and Host. @see RFC 9112, section 3.2.2 */
function readAbsoluteForm(url: string): AbsoluteForm {
  const [, scheme = "", authority = "", rest = ""] = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (scheme === "") return { scheme: "", authority: null, target: `/${url}` };
  return { scheme: scheme.toLowerCase(), authority, target: rest.startsWith("/") ? rest : `/${rest}` };
}

/** Reads the body of a message that the host has replaced. @throws ODataError as `ODataRequest.readBody` */
async function readPayload(payload: AsyncIterable<Uint8Array>, maxBytes: number | null): Promise<Uint8Array> {
  const buffer = new BodyBuffer(maxBytes, undefined);
  // A loop would destroy a stream above the limit, and with it the connection of a pipeline.
  if (isStream(payload)) return gatherBody(payload, buffer);
  try {
    for await (const chunk of payload) buffer.add(chunk);
  } catch (error) {
    throw truncatedBody(error);
  }
  return buffer.end();
}

/** Returns whether a body is a stream of Node.js, or of the package `readable-stream`. */
function isStream(payload: AsyncIterable<Uint8Array>): payload is Readable {
  return "pipe" in payload && "pause" in payload;
}

/** Returns a body as a stream. It is paused while nobody reads, and what is left of it when the stream is given up. */
function streamOfBody(message: Readable): ReadableStream<Uint8Array> {
  if (message.destroyed) throw truncatedBody();
  let stop = (): void => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const onData = (chunk: Uint8Array): void => {
          controller.enqueue(chunk);
          message.pause();
        };
        const onEnd = (): void => {
          stop();
          controller.close();
        };
        const onCut = (cause?: unknown): void => {
          stop();
          controller.error(truncatedBody(cause));
        };
        stop = () => {
          message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
        };
        message.pause();
        message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
      },
      pull: () => {
        message.resume();
      },
      cancel: () => {
        stop();
        message.pause();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Gathers the chunks of a body. @throws ODataError as `ODataRequest.readBody` */
function gatherBody(message: Readable, buffer: BodyBuffer): Promise<Uint8Array> {
  if (message.destroyed) throw truncatedBody();
  const gathered = new Promise<BodyBuffer>((resolve, reject) => {
    const stop = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const onData = (chunk: Uint8Array): void => {
      try {
        buffer.add(chunk);
      } catch (error) {
        // The rest is not read. The connection closes after the response.
        message.pause();
        onCut(error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(buffer);
    };
    const onCut = (cause?: unknown): void => {
      stop();
      reject(truncatedBody(cause));
    };
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
  return gathered.then((whole) => whole.end());
}
