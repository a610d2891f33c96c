import type { IncomingMessage, Server as PlainServer, ServerOptions, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { Handshakes } from "./handshakes.ts";
import { Http2Sessions, type StreamListener } from "./http2-sessions.ts";
import { answerClientError } from "./node-client-error.ts";
import { NodeConnections } from "./node-connections.ts";
import type { ServeSettings } from "./serve-options.ts";

// @see docs/decisions/0037-fast-start.md
const Server: typeof import("node:http").Server = process.getBuiltinModule("node:http").Server;

/**
 * Handles a request.
 * @param awaitsContinue whether the client still waits for `100 Continue`
 */
export type Listener = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => void;

/** The handlers of requests, by the version of HTTP. */
export interface Listeners {
  readonly http1: Listener;
  readonly http2: StreamListener;
}

/** The shortest and longest pause between two checks for requests that are late, in milliseconds. */
const MIN_CHECK = 20;
const MAX_CHECK = 1000;
/** The turns of the event loop in which connections that wait are accepted, and their requests read. */
const TURNS = 3;

/**
 * The server of `serve`. All its responses have OData-Version and the error envelope, which those of `node:http` lack.
 * @see docs/guides/deployment.md, Timeouts
 */
export class NodeServer {
  readonly #server: PlainServer | SecureServer;
  readonly #connections = new NodeConnections();
  readonly #sessions: Http2Sessions | null;
  readonly #handshakes = new Handshakes();
  readonly #settings: ServeSettings;

  constructor(listeners: Listeners, settings: ServeSettings) {
    const { tls, http2 } = settings;
    this.#settings = settings;
    this.#sessions = tls !== null && http2 ? new Http2Sessions(listeners.http2, settings) : null;
    if (tls === null) {
      const server = new Server(toServerOptions(settings));
      server.on("connection", (socket: Socket) => this.#connections.add(socket));
      this.#server = server;
    } else {
      const protocols = this.#sessions === null ? ["http/1.1"] : ["h2", "http/1.1"];
      const handshakeTimeout = settings.headersTimeout ?? undefined;
      const options = { ...toServerOptions(settings), ...tls, ALPNProtocols: protocols };
      const { Server: Secure } = process.getBuiltinModule("node:https");
      const server = new Secure({ ...options, ...(handshakeTimeout === undefined ? {} : { handshakeTimeout }) });
      this.#acceptSecure(server);
      this.#server = server;
    }
    this.#serve(this.#server, listeners.http1);
  }

  #serve(server: PlainServer | SecureServer, listener: Listener): void {
    const connections = this.#connections;
    const answer = (awaitsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      if (connections.begin(request, response)) listener(request, response, awaitsContinue);
      else request.resume();
    };
    server.on("request", answer(false));
    // An unknown expectation may be ignored. @see RFC 9110, section 10.1.1
    server.on("checkExpectation", answer(false));
    // `100 Continue` is sent when the body is read. A client need not send a body that is rejected by its headers.
    server.on("checkContinue", answer(true));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      answerClientError(error, socket, connections.lastResponse(socket)),
    );
    // The timer of a connection restarts with every byte in either direction, but notices bytes that the system has taken
    // from a write only when it fires: a single timer would end a client after up to twice its time.
    const { slowReaderTimeout, keepAliveTimeout } = this.#settings;
    const pause = NodeConnections.pauseOf(slowReaderTimeout ?? 0);
    server.setTimeout(pause);
    server.on("timeout", (socket: Socket) => connections.endInactive(socket, keepAliveTimeout !== null, pause));
    // `close` calls this. That of Node.js also ends a connection whose last response has not been read.
    server.closeIdleConnections = (): void => undefined;
  }

  /** Passes each connection to the version of HTTP that its client chose. */
  #acceptSecure(server: SecureServer): void {
    const [accept] = server.listeners("secureConnection");
    server.removeAllListeners("secureConnection");
    server.on("connection", (socket: Socket) => this.#handshakes.begin(socket));
    server.on("secureConnection", (socket: TLSSocket) => {
      this.#handshakes.end(socket);
      if (socket.alpnProtocol === "h2" && this.#sessions !== null) return this.#sessions.accept(socket);
      this.#connections.add(socket);
      accept?.call(server, socket);
    });
    // A client that fails the handshake can read no response.
    server.removeAllListeners("tlsClientError");
    server.on("tlsClientError", (_error, socket: TLSSocket) => socket.destroy());
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
   * a request after its response, all others after `drainTimeout`.
   */
  async drain(): Promise<void> {
    const { drainDelay, drainTimeout } = this.#settings;
    // Without a delay, the server stops before this method returns its promise.
    if (drainDelay > 0) {
      await delay(drainDelay);
      // After a stall, timers come before the connections and requests that have arrived meanwhile.
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    }
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#connections.drain();
    this.#sessions?.drain();
    this.#handshakes.drain();
    const timer = drainTimeout === null ? undefined : setTimeout(() => this.#closeAll(), drainTimeout);
    await closed;
    clearTimeout(timer);
  }

  #closeAll(): void {
    this.#server.closeAllConnections();
    this.#sessions?.destroyAll();
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
