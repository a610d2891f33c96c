import type { IncomingMessage, Server as HttpServer, ServerOptions, ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { nextTurn, pause } from "../../base/host.ts";
import { destroyLater, LAST_LINGER } from "./destroy-later.ts";
import { Http2Sessions, MAX_HEADERS } from "./http2-sessions.ts";
import { answerClientError } from "./node-client-error.ts";
import { http2StreamOf } from "./node-request.ts";
import type { ServeSettings, TlsSettings } from "./serve-options.ts";

// @see docs/decisions/0037-fast-start.md
const Server: typeof import("node:http").Server = process.getBuiltinModule("node:http").Server;

/**
 * Handles a request of either version of HTTP.
 * @param awaitsContinue whether the client still waits for `100 Continue`
 */
export type Listener = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => void;

/** The shortest and longest pause between two checks for requests that are late, in milliseconds. */
const MIN_CHECK = 20;
const MAX_CHECK = 1000;
/** The turns of the event loop in which connections that wait are accepted, and their requests read. */
const TURNS = 3;

/** How many pauses in a row make a client too slow. `node:net` may see the end of a write only at the end of a pause. */
const PAUSES = 4;
/** Two pauses of a client follow one another if the second one ends within so many times its length: a late timer counts. */
const NEXT = 1.9;

/** The requests of one connection of HTTP/2 that run at the same time. */
const MAX_STREAMS = 100;
/** Node.js resets a stream with more than this, so up to here the client gets a response. */
const MAX_ANSWERED_HEADERS = 4 * MAX_HEADERS;
/** The number of requests that a client may cancel at once before its connection ends, and the number for each second. */
const MAX_RESETS = 200;
const RESETS_PER_SECOND = 10;
/**
 * The server of `serve`. All its responses have OData-Version and the error envelope, which those of Node.js lack.
 * @see docs/guides/deployment.md, Timeouts
 */
export class NodeServer {
  readonly #server: HttpServer;
  /** The sockets of all connections, below TLS: those of HTTP/2 have no method that closes them all. */
  readonly #sockets = new Map<string, Socket>();
  readonly #handshakes = new Set<Socket>();
  readonly #connections = new Http1Connections();
  readonly #sessions: Http2Sessions;
  readonly #settings: ServeSettings;

  constructor(listener: Listener, settings: ServeSettings) {
    const { tls } = settings;
    this.#settings = settings;
    this.#sessions = new Http2Sessions(settings);
    this.#server = tls === null ? new Server(toServerOptions(settings)) : toSecureServer(settings, tls);
    const pending = tls === null ? this.#connections : this.#handshakes;
    this.#server.on("connection", (socket: Socket) => {
      const name = nameOf(socket);
      this.#sockets.set(name, socket);
      pending.add(socket);
      socket.once("close", () => {
        if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
        this.#handshakes.delete(socket);
      });
    });
    this.#serve(this.#server, listener);
    if (tls !== null) this.#serveSecure(this.#server);
  }

  #serve(server: HttpServer, listener: Listener): void {
    const connections = this.#connections;
    const answer = (request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void => {
      const stream = http2StreamOf(request);
      const isServed =
        stream === null ? connections.begin(request, response) : this.#sessions.serves(stream, request, response);
      if (isServed) listener(request, response, awaitsContinue);
    };
    server.on("request", (request, response) => answer(request, response));
    // `100 Continue` is sent when the body is read. A client need not send a body that is rejected by its headers.
    server.on("checkContinue", (request, response) => answer(request, response, true));
    // An unknown expectation may be ignored. HTTP/2 knows one spelling only. @see RFC 9110, section 10.1.1
    server.on("checkExpectation", (request, response) =>
      answer(request, response, request.headers.expect?.toLowerCase() === "100-continue"),
    );
    // Without a listener, Node.js responds itself over HTTP/2.
    server.on("connect", (request, target) => {
      if (http2StreamOf(request) === null) target.destroy();
      else answer(request, target as unknown as ServerResponse);
    });
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      answerClientError(error, socket, connections.lastResponse(socket)),
    );
    // The timer of a connection restarts with every byte in either direction, but notices bytes that the system has taken
    // from a write only when it fires: a single timer would end a client after up to twice its time.
    const { slowReaderTimeout, keepAliveTimeout } = this.#settings;
    const time = Math.ceil((slowReaderTimeout ?? 0) / PAUSES);
    server.setTimeout(time);
    server.on("timeout", (socket: Socket) => connections.endInactive(socket, keepAliveTimeout !== null, time));
    // `close` calls this. That of Node.js also ends a connection whose last response has not been read.
    server.closeIdleConnections = (): void => undefined;
  }

  #serveSecure(server: HttpServer): void {
    server.on("secureConnection", (socket: TLSSocket) => {
      const below = this.#sockets.get(nameOf(socket));
      if (below !== undefined) this.#handshakes.delete(below);
      if (socket.alpnProtocol !== "h2") this.#connections.add(socket);
    });
    server.on("session", (session: ServerHttp2Session) =>
      this.#sessions.begin(session, this.#sockets.get(nameOf(session.socket))),
    );
    // A client that fails the handshake can read no response.
    server.removeAllListeners("tlsClientError");
    server.on("tlsClientError", (_error: Error, socket: TLSSocket) => socket.destroy());
  }

  /** @throws the error of the system, such as that of a port in use */
  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => resolve(this.#server.address() as AddressInfo));
    });
  }

  /**
   * Stops accepting connections, after `drainDelay`, and closes idle ones. Resolves when all connections are closed: those with
   * a request after its response, all others after `drainTimeout`. Until then it also waits for work that the requests left.
   * @param work waits for that work
   * @returns whether the work has ended
   */
  async drain(work: () => Promise<void>): Promise<boolean> {
    const { drainDelay, drainTimeout } = this.#settings;
    // Without a delay, the server stops before this method returns its promise.
    if (drainDelay > 0) {
      await pause(drainDelay);
      // After a stall, timers come before the connections and requests that have arrived meanwhile.
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    }
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#connections.drain();
    this.#sessions.drain();
    destroyAll(this.#handshakes);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLate = new Promise<false>((resolve) => {
      if (drainTimeout === null) return;
      timer = setTimeout(() => {
        destroyAll(this.#sockets.values());
        resolve(false);
      }, drainTimeout);
    });
    await closed;
    const done = work().then(() => true);
    const isDone = await Promise.race([done, isLate]);
    clearTimeout(timer);
    // The time may be over before there is anything to wait for.
    return isDone || Promise.race([done, nextTurn().then(() => false)]);
  }
}

function toServerOptions(settings: ServeSettings): ServerOptions {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = settings;
  const least = Math.min(headersTimeout ?? Infinity, requestTimeout ?? Infinity);
  return {
    // The service rejects a request without Host itself, with the error envelope.
    requireHostHeader: false,
    // The limit of a whole request also applies to its headers.
    headersTimeout: Number.isFinite(least) ? least : 0,
    requestTimeout: requestTimeout ?? 0,
    keepAliveTimeout: keepAliveTimeout ?? 0,
    connectionsCheckingInterval: Math.min(MAX_CHECK, Math.max(MIN_CHECK, least / 4)),
  };
}

/** Makes a server of HTTP/2 that also speaks HTTP/1.1: for that, it has the members and events of a server of `node:http`. */
function toSecureServer(settings: ServeSettings, tls: TlsSettings): HttpServer {
  const { headersTimeout, http2 } = settings;
  const server: object = process.getBuiltinModule("node:http2").createSecureServer({
    ...tls,
    allowHTTP1: true,
    noDelay: true,
    streamResetBurst: MAX_RESETS,
    streamResetRate: RESETS_PER_SECOND,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_ANSWERED_HEADERS },
    ...(headersTimeout === null ? {} : { handshakeTimeout: headersTimeout }),
    ...(http2
      ? {}
      : {
          ALPNCallback: ({ protocols }: { readonly protocols: readonly string[] }) =>
            protocols.find((each) => each === "http/1.1"),
        }),
  });
  // Node.js 22 takes no options for HTTP/1.1 here.
  return Object.assign(server as HttpServer, toServerOptions(settings));
}

/** Names a connection by its addresses, which its socket and the encrypted one on it share. */
function nameOf({
  localAddress,
  remoteAddress,
  remotePort,
}: Pick<Socket, "localAddress" | "remoteAddress" | "remotePort">): string {
  return `${localAddress ?? ""} ${remoteAddress ?? ""} ${String(remotePort)}`;
}

function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

/** One open connection of HTTP/1.1. */
interface Http1Connection {
  /** The response to the last request; undefined before the first request. */
  last: ServerResponse | undefined;
  /** The number of pauses in a row, and the time of `performance.now()` at which the last one ended. */
  pauses: number;
  pausedAt: number;
  /** The bytes of complete writes at that time. */
  flushed: number;
}

/** The open connections of HTTP/1.1 of a server. */
class Http1Connections {
  readonly #open = new Map<Socket, Http1Connection>();
  #isDraining = false;

  /** Registers a new connection. */
  add(socket: Socket): void {
    this.#open.set(socket, { last: undefined, pauses: 0, pausedAt: 0, flushed: 0 });
    socket.once("close", () => this.#open.delete(socket));
  }

  /** Returns the response to the last request of a connection; undefined before the first request. */
  lastResponse(socket: Socket): ServerResponse | undefined {
    return this.#open.get(socket)?.last;
  }

  /**
   * Registers a new request.
   * @returns false if it follows a response that announced the end of the connection: the request must be ignored
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const before = connection.last;
    if (this.#isDraining) {
      if (before?.shouldKeepAlive === false) {
        if (before.headersSent) {
          request.resume();
          return false;
        }
        before.shouldKeepAlive = true;
      }
      this.#endAfter(response, socket);
    }
    connection.last = response;
    return true;
  }

  /**
   * Destroys a connection after its timeout if the client does not read a response, or if it is idle. A connection stays
   * open while a handler runs. Another timer covers the first request.
   * @param endsIdle whether idle connections have a timeout
   * @param time milliseconds without progress until a timeout while a response waits to be read
   */
  endInactive(socket: Socket, endsIdle: boolean, time: number): void {
    const isIdle = this.lastResponse(socket)?.writableFinished === true;
    if (socket.writableLength > 0 ? this.#isTooSlow(socket, time) : isIdle && endsIdle) socket.destroy();
  }

  /** Counts the pauses of a client. Progress between two timeouts makes `node:net` wait once more. */
  #isTooSlow(socket: Socket, time: number): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const now = performance.now();
    const flushed = socket.bytesWritten - socket.writableLength;
    const isNext = flushed === connection.flushed && now - connection.pausedAt < NEXT * time;
    connection.flushed = flushed;
    connection.pauses = isNext ? connection.pauses + 1 : 1;
    connection.pausedAt = now;
    if (connection.pauses >= PAUSES) return true;
    socket.setTimeout(time);
    return false;
  }

  /** Closes connections without a request in progress, and each other one after its last response. */
  drain(): void {
    this.#isDraining = true;
    for (const [socket, { last }] of this.#open) {
      if (last === undefined || (last.writableFinished && last.req.complete)) socket.destroy();
      else if (last.writableFinished) destroyLater(socket.end(), LAST_LINGER);
      else this.#endAfter(last, socket);
    }
  }

  /** Makes a response the last one of its connection, unless a request follows it. */
  #endAfter(response: ServerResponse, socket: Socket): void {
    if (!response.headersSent) {
      response.shouldKeepAlive = false;
      return;
    }
    // The headers of a response that is being sent may have promised another one.
    response.once("finish", () => {
      if (this.lastResponse(socket) === response) destroyLater(socket.end(), LAST_LINGER);
    });
  }
}
