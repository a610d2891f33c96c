import type { IncomingMessage, Server as HttpServer, ServerOptions, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { nextTurn, pause } from "../../base/host.ts";
import { destroyLater, LAST_LINGER } from "./destroy-later.ts";
import { answerClientError } from "./node-client-error.ts";
import type { ServeSettings } from "./serve-options.ts";

// @see docs/decisions/0037-fast-start.md
const Server: typeof import("node:http").Server = process.getBuiltinModule("node:http").Server;

/**
 * Handles a request.
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

/**
 * The server of `serve`. All its responses have OData-Version and the error envelope, which those of Node.js lack.
 * @see docs/guides/deployment.md, Timeouts
 */
export class NodeServer {
  readonly #server: HttpServer;
  readonly #connections = new Connections();
  readonly #settings: ServeSettings;

  constructor(listener: Listener, settings: ServeSettings) {
    this.#settings = settings;
    this.#server = new Server(toServerOptions(settings));
    this.#server.on("connection", (socket: Socket) => this.#connections.add(socket));
    this.#serve(this.#server, listener);
  }

  #serve(server: HttpServer, listener: Listener): void {
    const connections = this.#connections;
    const answer = (request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void => {
      if (connections.begin(request, response)) listener(request, response, awaitsContinue);
    };
    server.on("request", (request, response) => answer(request, response));
    // `100 Continue` is sent when the body is read. A client need not send a body that is rejected by its headers.
    server.on("checkContinue", (request, response) => answer(request, response, true));
    // An unknown expectation may be ignored. @see RFC 9110, section 10.1.1
    server.on("checkExpectation", (request, response) => answer(request, response));
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLate = new Promise<false>((resolve) => {
      if (drainTimeout === null) return;
      timer = setTimeout(() => {
        this.#connections.destroyAll();
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

/** One open connection. */
interface Connection {
  /** The response to the last request; undefined before the first request. */
  last: ServerResponse | undefined;
  /** The number of pauses in a row, and the time of `performance.now()` at which the last one ended. */
  pauses: number;
  pausedAt: number;
  /** The bytes of complete writes at that time. */
  flushed: number;
}

/** The open connections of HTTP/1.1 of a server. */
class Connections {
  readonly #open = new Map<Socket, Connection>();
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

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
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
