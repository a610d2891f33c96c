import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { answerClientError } from "./node-client-error.ts";
import { NodeConnections } from "./node-connections.ts";
import type { ServeSettings } from "./serve-options.ts";

/** Answers a request. */
export type Listener = (request: IncomingMessage, response: ServerResponse, way: RequestWay) => void;

/** What belongs to one request beside itself. */
export interface RequestWay {
  /** Whether the client waits for `100 Continue`, which nobody has sent yet. */
  readonly awaitsContinue: boolean;
  /** What the response waits for before it is sent; undefined when there is nothing. */
  readonly settle: () => Promise<void> | undefined;
}

/** Shortest and longest pause between two looks for requests that have not arrived in time, in milliseconds. */
const MIN_CHECK = 20;
const MAX_CHECK = 1000;

/**
 * The server behind `serve`. It leaves no response to `node:http` itself, which knows neither OData-Version nor the
 * envelope, and it closes without a reset.
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
    // An expectation that is not known may be ignored. @see RFC 9110, section 10.1.1
    this.on("checkExpectation", (request, response) => answer(request, response, plain));
    // The body is asked for when it is read: one that is refused by its headers need not be sent.
    this.on("checkContinue", (request, response) => answer(request, response, continued));
    this.on("clientError", (error, socket) =>
      answerClientError(error, socket, connections.lastResponse(socket as Socket)),
    );
    // The timer of a connection starts anew with every byte, in both directions.
    this.setTimeout(settings.slowReaderTimeout ?? 0);
    this.on("timeout", (socket: Socket) => connections.endInactive(socket, settings.keepAliveTimeout !== null));
  }

  /** Closes nothing by itself: `drain` ends idle connections, but not while their next request arrives. */
  override closeIdleConnections(): void {
    // `close` of node:http calls this.
  }

  /** Accepts no new connections, and resolves when those that are open have ended. */
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
    // The service itself refuses a request without Host, with the envelope.
    requireHostHeader: false,
    // A limit on the whole request is one on its headers, too.
    headersTimeout: Number.isFinite(least) ? least : 0,
    requestTimeout: requestTimeout ?? 0,
    keepAliveTimeout: keepAliveTimeout ?? 0,
    connectionsCheckingInterval: Math.min(MAX_CHECK, Math.max(MIN_CHECK, least / 4)),
  };
}
