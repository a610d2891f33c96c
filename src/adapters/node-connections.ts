import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { answerTimeout } from "./node-client-error.ts";

/** How often a draining server checks its connections, in milliseconds. */
const INTERVAL = 25;
/**
 * How many checks in a row must find no new bytes before a draining server closes a connection without a pending request.
 * The next request may be on its way, and closing the connection while it arrives would reset it. The server counts checks
 * and not milliseconds, because after a stall timers fire before it reads requests that have already arrived.
 */
const QUIET_CHECKS = 10;
/** How long a draining server waits for pipelined requests, in milliseconds. */
const ARRIVAL = 10;
/** How long a client may take to close its side after the server has closed its own, in milliseconds. */
const LINGER = 500;

/** How long a closing server keeps accepting connections that the system has already made, in milliseconds. */
const MAX_ACCEPT = 2000;
/** After so many turns of the event loop without a new connection, none is waiting. */
const QUIET_TURNS = 3;

/** How many pauses in a row make a client too slow. `node:net` may see the end of a write only at the end of a pause. */
const PAUSES = 4;
/** Two pauses of a client follow one another if the second one ends within so many times its length: a late timer counts. */
const NEXT = 1.9;

/** One open connection. */
interface Connection {
  readonly socket: Socket;
  /** The response to the last request; undefined before the first request. */
  last: ServerResponse | undefined;
  /** The bytes received at the last check, and the number of checks since then without new bytes. */
  bytesRead: number;
  quietChecks: number;
  /** The number of pauses in a row, and the time of `performance.now()` at which the last one ended. */
  pauses: number;
  pausedAt: number;
  /** The bytes of complete writes at that time. */
  flushed: number;
}

/** Tracks the open connections of a server, and closes them when it stops. */
export class NodeConnections {
  /** Returns the milliseconds of a pause, after which `endInactive` must be called. @param timeout 0 for none */
  static pauseOf(timeout: number): number {
    return Math.ceil(timeout / PAUSES);
  }

  readonly #open = new Map<Socket, Connection>();
  #added = 0;
  #isDraining = false;
  #release: () => void = () => undefined;
  /** Resolves when the server has stopped listening. */
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  /** Registers a new connection. */
  add(socket: Socket): void {
    this.#added += 1;
    this.#open.set(socket, {
      socket,
      last: undefined,
      bytesRead: 0,
      quietChecks: 0,
      pauses: 0,
      pausedAt: 0,
      flushed: 0,
    });
    if (this.#isDraining) closeGently(socket);
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
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const before = connection.last;
    if (this.#isDraining) {
      if (before !== undefined && !before.shouldKeepAlive) {
        if (before.headersSent) return false;
        before.shouldKeepAlive = true;
      }
      response.shouldKeepAlive = false;
    }
    connection.last = response;
    return true;
  }

  /**
   * Returns a promise to await before sending a response, or undefined. While the server drains, it first
   * reads requests that have already arrived, so that only the last response announces the end of its connection.
   */
  settle(): Promise<void> | undefined {
    return this.#isDraining ? this.#released.then(readArrived) : undefined;
  }

  /**
   * Makes the last response of each connection announce the end of the connection. Responses wait until the server has
   * stopped listening: a client whose connection closes opens a new one at once, which is reset unless accepted by then.
   * @param endsAt the time of `performance.now()` at which to stop waiting
   * @returns a promise that resolves when probably no connection waits to be accepted: each turn accepts one
   */
  async announceEnd(endsAt: number): Promise<void> {
    this.#isDraining = true;
    for (const { socket, last } of this.#open.values()) {
      closeGently(socket);
      if (last !== undefined && !last.headersSent) last.shouldKeepAlive = false;
    }
    const lastTurn = Math.min(endsAt, performance.now() + MAX_ACCEPT);
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < lastTurn;) {
      const before = this.#added;
      await nextTurn();
      quiet = before === this.#added ? quiet + 1 : 0;
    }
  }

  /**
   * Destroys a connection after its timeout if the client does not read a response, or if it is idle. A connection stays
   * open while a handler runs. Another timer covers the first request.
   * @param endsIdle whether idle connections have a timeout
   * @param pause milliseconds without progress until a timeout while a response waits to be read
   */
  endInactive(socket: Socket, endsIdle: boolean, pause: number): void {
    const isIdle = this.lastResponse(socket)?.writableFinished === true;
    if (socket.writableLength > 0 ? this.#isTooSlow(socket, pause) : isIdle && endsIdle) socket.destroy();
  }

  /** Counts the pauses of a client. Progress between two timeouts makes `node:net` wait once more. */
  #isTooSlow(socket: Socket, pause: number): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const now = performance.now();
    const flushed = socket.bytesWritten - socket.writableLength;
    const isNext = flushed === connection.flushed && now - connection.pausedAt < NEXT * pause;
    connection.flushed = flushed;
    connection.pauses = isNext ? connection.pauses + 1 : 1;
    connection.pausedAt = now;
    if (connection.pauses >= PAUSES) return true;
    socket.setTimeout(pause);
    return false;
  }

  /**
   * Closes each connection after its last response, and connections without a pending request soon. Call it once the server
   * has stopped listening.
   * @param endsAt the time of `performance.now()` at which to destroy the remaining connections
   * @returns a function that stops watching
   */
  drain(endsAt: number): () => void {
    this.#release();
    const interval = setInterval(() => {
      const isOver = performance.now() >= endsAt;
      for (const connection of this.#open.values()) {
        if (isOver) connection.socket.destroy();
        else endQuiet(connection);
      }
    }, INTERVAL);
    return () => clearInterval(interval);
  }
}

/** Resolves when all requests that have arrived, or are about to, have been read. */
async function readArrived(): Promise<void> {
  await pause(ARRIVAL);
  await nextTurn();
}

/** Closes a connection that has been quiet for a while and has no pending request. */
function endQuiet(connection: Connection): void {
  const { socket, last } = connection;
  if (socket.writableEnded || socket.destroyed) return;
  const isAnswering = last !== undefined && !last.writableFinished;
  const awaitsBody = isAnswering && !last.req.complete && last.req.readableFlowing === true;
  if ((isAnswering && !awaitsBody) || socket.bytesRead !== connection.bytesRead) {
    connection.bytesRead = socket.bytesRead;
    connection.quietChecks = 0;
    return;
  }
  connection.quietChecks += 1;
  if (connection.quietChecks < QUIET_CHECKS) return;
  if (awaitsBody) answerTimeout(socket, last);
  else endGently(socket);
}

/** Replaces how `node:http` closes a connection after its last response: it would reset a connection with unread bytes. */
function closeGently(socket: Socket): void {
  socket.destroySoon = () => endGently(socket);
}

/** Closes the sending side and gives the client a moment to close its own. Discards bytes that still arrive. */
function endGently(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once("close", () => clearTimeout(timer));
}
