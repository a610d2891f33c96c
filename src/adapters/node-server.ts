import type { IncomingMessage, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { answerClientError } from "./node-client-error.ts";
import { NodeConnections } from "./node-connections.ts";
import type { ServeSettings } from "./serve-options.ts";

// @see docs/decisions/0037-fast-start.md
const Server: typeof import("node:http").Server = process.getBuiltinModule("node:http").Server;

/** Handles a request. */
export type Listener = (request: IncomingMessage, response: ServerResponse, way: RequestWay) => void;

/** How one request and its response travel. */
export interface RequestWay {
  /** Whether the client still waits for `100 Continue`. */
  readonly awaitsContinue: boolean;
  /** Returns a promise to await before sending the response, or undefined. */
  readonly settle: () => Promise<void> | undefined;
}

/** The shortest and longest pause between two checks for requests that are late, in milliseconds. */
const MIN_CHECK = 20;
const MAX_CHECK = 1000;

/**
 * The server of `serve`. All its responses have OData-Version and the error envelope, which those of `node:http` lack, and it
 * closes connections without resetting them.
 * @see docs/guides/deployment.md, Timeouts
 */
export class NodeServer extends Server {
  readonly #connections = new NodeConnections();
  readonly #settings: ServeSettings;

  constructor(listener: Listener, settings: ServeSettings) {
    super(toServerOptions(settings));
    this.#settings = settings;
    const connections = this.#connections;
    const settle = (): Promise<void> | undefined => connections.settle();
    const plain: RequestWay = { awaitsContinue: false, settle };
    const continued: RequestWay = { awaitsContinue: true, settle };
    const answer = (request: IncomingMessage, response: ServerResponse, way: RequestWay): void => {
      if (connections.begin(request, response)) listener(request, response, way);
      else request.resume();
    };
    this.on("connection", (socket: Socket) => connections.add(socket));
    this.on("request", (request, response) => answer(request, response, plain));
    // An unknown expectation may be ignored. @see RFC 9110, section 10.1.1
    this.on("checkExpectation", (request, response) => answer(request, response, plain));
    // `100 Continue` is sent when the body is read. A client need not send a body that is rejected by its headers.
    this.on("checkContinue", (request, response) => answer(request, response, continued));
    this.on("clientError", (error, socket) =>
      answerClientError(error, socket, connections.lastResponse(socket as Socket)),
    );
    // The timer of a connection restarts with every byte in either direction, but notices bytes that the system has taken
    // from a write only when it fires: a single timer would end a client after up to twice its time.
    const pause = NodeConnections.pauseOf(settings.slowReaderTimeout ?? 0);
    this.setTimeout(pause);
    this.on("timeout", (socket: Socket) => connections.endInactive(socket, settings.keepAliveTimeout !== null, pause));
  }

  /** Does nothing: `drain` closes idle connections, but not while their next request arrives. */
  override closeIdleConnections(): void {
    // `close` of node:http calls this.
  }

  /** Stops accepting connections. Resolves when all connections are closed. */
  async drain(): Promise<void> {
    const endsAt = performance.now() + (this.#settings.drainTimeout ?? Infinity);
    await this.#connections.announceEnd(endsAt);
    return new Promise((resolve) => {
      this.close(() => {
        stop();
        resolve();
      });
      const stop = this.#connections.drain(endsAt);
    });
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
