import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many pauses in a row make a client too slow. `node:net` may see the end of a write only at the end of a pause. */
const PAUSES = 4;
/** Two pauses of a client follow one another if the second one ends within so many times its length: a late timer counts. */
const NEXT = 1.9;

/** How long a client may take to close its side after a response to a request that it still sends, in milliseconds. */
const LINGER = 500;

/** One open connection of HTTP/1.1. */
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
export class NodeConnections {
  /** Returns the milliseconds of a pause, after which `endInactive` must be called. @param timeout 0 for none */
  static pauseOf(timeout: number): number {
    return Math.ceil(timeout / PAUSES);
  }

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
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const before = connection.last;
    if (this.#isDraining) {
      if (before?.shouldKeepAlive === false) {
        if (before.headersSent) return false;
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

  /** Closes connections without a request in progress, and each other one after its last response. */
  drain(): void {
    this.#isDraining = true;
    for (const [socket, { last }] of this.#open) {
      if (last === undefined || (last.writableFinished && last.req.complete)) socket.destroy();
      else if (last.writableFinished) endSoon(socket);
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
      if (this.lastResponse(socket) === response) socket.end();
    });
  }
}

/** Closes the sending side, and leaves a client that still sends a moment to read its response: a reset would discard it. */
function endSoon(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once("close", () => clearTimeout(timer));
}
