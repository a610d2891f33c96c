import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { answerTimeout } from "./node-client-error.ts";

/** How often a draining server looks at its connections, in milliseconds. */
const INTERVAL = 25;
/**
 * How many looks in a row must find no new bytes on a connection without a request under way before a draining server
 * ends it. The next request of a client may be on its way: a connection that is ended while it arrives is reset. Looks
 * are counted, not milliseconds: after a stall, timers fire before requests that have long arrived are read.
 */
const QUIET_LOOKS = 10;
/** How long a draining server waits for requests that a client sends behind one another, in milliseconds. */
const ARRIVAL = 10;
/** How long a client may take to close its side of a connection that the server has ended, in milliseconds. */
const LINGER = 500;

/** How long a server that closes goes on to accept connections that are already made, in milliseconds. */
const MAX_ACCEPT = 2000;
/** Turns in a row without a new connection after which none waits to be accepted. */
const QUIET_TURNS = 3;

/** One open connection. */
interface Connection {
  readonly socket: Socket;
  /** The response to the request that came last; undefined before the first. */
  last: ServerResponse | undefined;
  /** The bytes that had come when a draining server last looked, and how many looks have found no more. */
  bytesRead: number;
  quietLooks: number;
}

/** The open connections of one server, and how they end when it closes. */
export class NodeConnections {
  readonly #open = new Map<Socket, Connection>();
  #added = 0;
  #isDraining = false;
  #release: () => void = () => undefined;
  /** Resolves when the server listens no more. */
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  /** Notes a new connection. */
  add(socket: Socket): void {
    this.#added += 1;
    this.#open.set(socket, { socket, last: undefined, bytesRead: 0, quietLooks: 0 });
    if (this.#isDraining) closeGently(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  /** The response to the last request of a connection; undefined before the first. */
  lastResponse(socket: Socket): ServerResponse | undefined {
    return this.#open.get(socket)?.last;
  }

  /**
   * Notes a new request.
   * @returns whether to answer it; not behind a response that announced the end of its connection
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
   * What a response waits for before it is sent: while the server drains, the requests that have already arrived are
   * read first, so that a response announces the end of its connection only where no other follows it.
   * @returns undefined when there is nothing to wait for
   */
  settle(): Promise<void> | undefined {
    return this.#isDraining ? this.#released.then(readArrived) : undefined;
  }

  /**
   * Lets the last response of each connection announce its end. Responses wait until the server has stopped listening: a
   * client that must close its connection makes a new one at once, and a connection that is not accepted by then is reset.
   * @param endsAt when to wait no longer, as a time of `performance.now()`
   * @returns a promise for when no connection waits to be accepted, as far as can be known: each turn accepts one
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
   * Ends a connection whose timer ran out where its client leaves a response unread, or where it waits for the next
   * request. It stays while a handler is at work; a first request that does not come has a timer of its own.
   * @param endsIdle whether a connection may wait for the next request for a limited time only
   */
  endInactive(socket: Socket, endsIdle: boolean): void {
    const isIdle = this.lastResponse(socket)?.writableFinished === true;
    if (socket.writableLength > 0 || (isIdle && endsIdle)) socket.destroy();
  }

  /**
   * Ends each connection behind its last response, and those without a request under way at once: for a server that
   * listens no more.
   * @param endsAt when connections that are left are destroyed, as a time of `performance.now()`
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

/** Resolves when what has arrived on all connections has been read, and what is on its way from near-by clients. */
async function readArrived(): Promise<void> {
  await pause(ARRIVAL);
  await nextTurn();
}

/** Ends a connection that has brought nothing for a while and owes no response. */
function endQuiet(connection: Connection): void {
  const { socket, last } = connection;
  if (socket.writableEnded || socket.destroyed) return;
  const isAnswering = last !== undefined && !last.writableFinished;
  const awaitsBody = isAnswering && !last.req.complete && last.req.readableFlowing === true;
  if ((isAnswering && !awaitsBody) || socket.bytesRead !== connection.bytesRead) {
    connection.bytesRead = socket.bytesRead;
    connection.quietLooks = 0;
    return;
  }
  connection.quietLooks += 1;
  if (connection.quietLooks < QUIET_LOOKS) return;
  if (awaitsBody) answerTimeout(socket, last);
  else endGently(socket);
}

/** Replaces how `node:http` closes a connection behind its last response: with bytes still to read it would be reset. */
function closeGently(socket: Socket): void {
  socket.destroySoon = () => endGently(socket);
}

/** Ends the sending side, and waits a moment for the client to end its own: what still comes is thrown away. */
function endGently(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once("close", () => clearTimeout(timer));
}
