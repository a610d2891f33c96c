import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import { sendHttp2Response } from "./http2-response.ts";
import { headersResponse, timeoutResponse } from "./node-client-error.ts";
import type { ServeSettings } from "./serve-options.ts";

/** Handles a request. */
export type StreamListener = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, hostRequest?: unknown) => void;

/** The requests of one connection that run at the same time. */
const MAX_STREAMS = 100;
/** The bytes of the headers of a request: those of `node:http`. */
const MAX_HEADERS = 16_384;
/** Node.js resets a stream with more than this, so up to here the client gets a response. */
const MAX_ANSWERED_HEADERS = 4 * MAX_HEADERS;
/** The requests that a client may give up at once before its connection ends, and those that it may give up each second. */
const MAX_RESETS = 200;
const RESETS_PER_SECOND = 10;
/** How long a client may take to close its side after the last response, in milliseconds. */
const LINGER = 500;

/** Codes of the end of streams and connections. @see RFC 9113, section 7 */
const NO_ERROR = 0;
const CANCEL = 8;

/** One connection of HTTP/2. */
interface Session {
  readonly session: ServerHttp2Session;
  readonly socket: TLSSocket;
  streams: number;
  /** Ends the connection while it has no request. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The connections of HTTP/2, with the timeouts of HTTP/1.1.
 * @see RFC 9113, section 10.5; docs/guides/production.md, TLS and HTTP/2
 */
export class Http2Sessions {
  readonly #server: Http2Server;
  readonly #settings: ServeSettings;
  readonly #open = new Map<ServerHttp2Session, Session>();
  readonly #sockets = new Set<TLSSocket>();
  #isDraining = false;

  constructor(listener: StreamListener, settings: ServeSettings) {
    this.#settings = settings;
    // @see docs/decisions/0037-fast-start.md
    this.#server = process.getBuiltinModule("node:http2").createServer({
      streamResetBurst: MAX_RESETS,
      streamResetRate: RESETS_PER_SECOND,
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_ANSWERED_HEADERS },
    });
    this.#server.on("stream", (stream, headers, _flags, fields) => {
      this.#watch(stream);
      if (lengthOf(fields) <= MAX_HEADERS) listener(stream, headers);
      else void sendHttp2Response(headersResponse(), stream);
    });
  }

  /** Takes over a connection whose client chose HTTP/2. */
  accept(socket: TLSSocket): void {
    const begin = (session: ServerHttp2Session): void => this.#begin(session, socket);
    this.#server.once("session", begin);
    this.#server.emit("connection", socket);
    this.#server.off("session", begin);
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Lets each connection end after its requests. */
  drain(): void {
    this.#isDraining = true;
    for (const { session } of this.#open.values()) session.close();
  }

  /** Ends all connections. A session that is closed leaves its connection open until the client has closed its side. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #begin(session: ServerHttp2Session, socket: TLSSocket): void {
    const state: Session = { session, socket, streams: 0, timer: undefined };
    this.#open.set(session, state);
    session.once("close", () => {
      clearTimeout(state.timer);
      this.#open.delete(session);
    });
    if (this.#isDraining) session.close();
    else this.#endLater(state, this.#settings.headersTimeout);
  }

  /** Ends a connection unless a request arrives in time. */
  #endLater(state: Session, timeout: number | null): void {
    clearTimeout(state.timer);
    if (timeout === null) return;
    state.timer = setTimeout(() => {
      state.session.close();
      const timer = setTimeout(() => state.socket.destroy(), LINGER);
      state.socket.once("close", () => clearTimeout(timer));
    }, timeout);
  }

  #watch(stream: ServerHttp2Stream): void {
    // The stream is destroyed with its error, which the response or the body reports.
    stream.on("error", () => undefined);
    const state = stream.session === undefined ? undefined : this.#open.get(stream.session as ServerHttp2Session);
    if (state === undefined) return;
    state.streams += 1;
    clearTimeout(state.timer);
    stream.once("close", () => {
      state.streams -= 1;
      if (state.session.destroyed) return;
      if (state.streams === 0 && !state.session.closed) this.#endLater(state, this.#settings.keepAliveTimeout);
    });
    // The unread rest of a body would keep the stream open, and so would bytes that have arrived.
    stream.once("finish", () => {
      if (stream.readableEnded) return;
      stream.close(NO_ERROR);
      stream.resume();
    });
    this.#limitTime(stream);
  }

  /** Ends a request whose body does not arrive, and a response that the client does not read. */
  #limitTime(stream: ServerHttp2Stream): void {
    const { requestTimeout, slowReaderTimeout } = this.#settings;
    if (requestTimeout !== null && !stream.endAfterHeaders) {
      const timer = setTimeout(() => {
        // A handler need not read the body, and may take longer than the client took to send it.
        if (stream.state.remoteClose === 1) return;
        if (stream.headersSent) stream.close(CANCEL);
        else void sendHttp2Response(timeoutResponse(), stream);
      }, requestTimeout);
      stream.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
    }
    if (slowReaderTimeout === null) return;
    const check = (): void => {
      // Nothing waits to be read while a handler runs.
      if (stream.writableLength > 0) stream.close(CANCEL);
      else stream.setTimeout(slowReaderTimeout);
    };
    stream.setTimeout(slowReaderTimeout, () => undefined);
    stream.on("timeout", check);
  }
}

/** Returns the length of names and values. Node.js only announces its limit. */
function lengthOf(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + field.length, 0);
}
