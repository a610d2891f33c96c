import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { destroyLater, LAST_LINGER } from "./destroy-later.ts";
import { faultResponse, HEADERS_TOO_LARGE, TIMEOUT } from "./node-client-error.ts";
import { sendResponse } from "./node-response.ts";
import type { ServeSettings } from "./serve-options.ts";

/** The bytes of the headers of a request: those of `node:http`. */
export const MAX_HEADERS = 16_384;
/** The code that ends a stream of HTTP/2. @see RFC 9113, section 7 */
const CANCEL = 8;

/** One connection of HTTP/2. */
interface Http2Session {
  readonly session: ServerHttp2Session;
  /** A session that is closed leaves its socket open until the client has closed its side. */
  readonly socket: Socket | undefined;
  streams: number;
  /** Ends the connection while it has no request. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The open connections of HTTP/2 of a server, with the timeouts of HTTP/1.1.
 * @see RFC 9113, section 10.5; docs/guides/production.md, TLS and HTTP/2
 */
export class Http2Sessions {
  readonly #settings: ServeSettings;
  readonly #open = new Map<ServerHttp2Session, Http2Session>();

  constructor(settings: ServeSettings) {
    this.#settings = settings;
  }

  /** Registers a new connection. */
  begin(session: ServerHttp2Session, socket: Socket | undefined): void {
    const state: Http2Session = { session, socket, streams: 0, timer: undefined };
    this.#open.set(session, state);
    session.once("close", () => {
      clearTimeout(state.timer);
      this.#open.delete(session);
    });
    this.#endLater(state, this.#settings.headersTimeout);
  }

  /** Lets each connection end after its requests, also if its client does not close its side. */
  drain(): void {
    for (const { session, socket, streams } of this.#open.values()) {
      session.close();
      if (streams === 0 && socket !== undefined) destroyLater(socket, LAST_LINGER);
    }
  }

  /**
   * Returns how long a connection stays open after its last response. The client may still read it, also after either side has
   * sent GOAWAY. Then no request can follow, so there always is a limit.
   */
  #idleTime({ session }: Http2Session): number | null {
    const { keepAliveTimeout, slowReaderTimeout } = this.#settings;
    return keepAliveTimeout ?? (session.closed ? (slowReaderTimeout ?? LAST_LINGER) : null);
  }

  /** Ends a connection unless a request arrives in time. */
  #endLater(state: Http2Session, timeout: number | null): void {
    clearTimeout(state.timer);
    if (timeout === null) return;
    state.timer = setTimeout(() => {
      state.session.close();
      if (state.socket !== undefined) destroyLater(state.socket, LAST_LINGER);
    }, timeout);
  }

  /** Registers a new request. @returns false if its headers are too large: it has its response */
  serves(stream: ServerHttp2Stream, request: IncomingMessage, response: ServerResponse): boolean {
    const state = this.#open.get(stream.session as ServerHttp2Session);
    if (state !== undefined) {
      state.streams += 1;
      clearTimeout(state.timer);
      stream.once("close", () => {
        state.streams -= 1;
        if (state.streams === 0 && this.#open.has(state.session)) this.#endLater(state, this.#idleTime(state));
      });
    }
    this.#limitTime(stream, response);
    // Node.js only announces its limit.
    const length = request.rawHeaders.reduce((sum, field) => sum + field.length, 0);
    if (length <= MAX_HEADERS) return true;
    void sendResponse(faultResponse(HEADERS_TOO_LARGE), response);
    return false;
  }

  /** Ends a request whose body does not arrive, and a response that the client does not read. */
  #limitTime(stream: ServerHttp2Stream, response: ServerResponse): void {
    const { requestTimeout, slowReaderTimeout } = this.#settings;
    if (requestTimeout !== null && !stream.endAfterHeaders) {
      const timer = setTimeout(() => {
        // A handler need not read the body, and may take longer than the client took to send it.
        if (stream.state.remoteClose === 1) return;
        if (stream.headersSent) stream.close(CANCEL);
        else void sendResponse(faultResponse(TIMEOUT), response);
      }, requestTimeout);
      stream.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
    }
    if (slowReaderTimeout === null) return;
    const check = (): void => {
      // Nothing waits to be read while a handler runs.
      if (stream.writableLength > 0) stream.close(CANCEL);
      else stream.setTimeout(slowReaderTimeout, check);
    };
    stream.setTimeout(slowReaderTimeout, check);
  }
}
