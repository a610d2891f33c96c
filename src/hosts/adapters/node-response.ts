import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { Readable, type Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Turn } from "../../base/maybe.ts";
import { mergeVary } from "../../http/headers.ts";
import { abandon, type ODataResponse } from "../../http/odata-response.ts";
import { REJECTED_LINGER } from "./destroy-later.ts";
import { announcesBody, http2StreamOf } from "./node-request.ts";

/** Other requests get a turn after a chunk of so many bytes, and after smaller ones when the turn is over. */
const LARGE = 4096;
/** The bytes that are read ahead of the client, and the most that HTTP/2 gets at once of a whole body. */
const AHEAD = 16_384;
/** The time in milliseconds after which a coder passes on the available output of a slow chunk. */
const LATE = 20;

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;

/** A stream that compresses. */
export interface Coder extends Transform {
  /** Passes on everything that was written. */
  flush(): void;
}

/** A response as it is sent. */
export interface SentResponse extends ODataResponse {
  /** Makes the stream that compresses the chunks of the body; absent for bytes that are sent as they are. */
  readonly coder?: () => Coder;
}

/** Sends a response. @param fail called once if the response cannot be sent to its end */
export function sendOrFail(response: SentResponse, target: ServerResponse, fail: (error: unknown) => void): void {
  try {
    sendResponse(response, target)?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** Sends a response of either version of HTTP. Returns a promise only for chunks. */
export function sendResponse(
  { status, headers: own, body, coder }: SentResponse,
  target: ServerResponse,
): void | Promise<void> {
  const stream = http2StreamOf(target.req);
  if (stream !== null) {
    // The client has left, or the response to a body that did not arrive in time has been sent.
    if (stream.destroyed || stream.headersSent) return abandon(body);
    closeAfter(body, stream);
  }
  const headers = withVaryOf(target, own);
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  if (body !== null && !isWhole) {
    writeHead(target, status, headers);
    return sendChunks(body, stream ?? target, coder?.());
  }
  const length = isWhole ? Buffer.byteLength(body) : 0;
  const sized = isWhole ? { ...headers, "Content-Length": String(length) } : headers;
  if (stream === null && isRefusal(status, target)) return sendAndClose(status, sized, body, target);
  writeHead(target, status, sized);
  if (isWhole && stream !== null && length > AHEAD) return sendChunks(piecesOf(body), stream);
  // ASCII is copied, and not encoded: a long value such as base64 takes a fraction of the time.
  if (typeof body === "string" && body.length === length) target.end(body, "latin1");
  else target.end(body);
}

/** Sets each header before it sends them: loggers of requests read them from the response, and Node.js keeps no others. */
function writeHead(target: ServerResponse, status: number, headers: ODataResponse["headers"]): void {
  for (const [name, value] of Object.entries(headers)) target.setHeader(name, value);
  target.writeHead(status);
}

/** Ends a stream after its response: the unread rest of a body would keep it open, and so would bytes that have arrived. */
function closeAfter(body: ODataResponse["body"], stream: ServerHttp2Stream): void {
  const close = (): void => {
    if (!stream.readableEnded) stream.resume().close();
  };
  if (body === null) stream.once("finish", close);
  // The frame that ends a body follows this event. A reset before it would cut the response off.
  else stream.once("wantTrailers", () => setImmediate(close));
}

/** Adds the names that the host application has already set in Vary. */
function withVaryOf(target: ServerResponse, headers: ODataResponse["headers"]): ODataResponse["headers"] {
  const before = target.getHeader("Vary");
  if (before === undefined) return headers;
  return { ...headers, Vary: mergeVary(Array.isArray(before) ? before.join(", ") : String(before), headers["Vary"]) };
}

/**
 * Cuts a body for a stream of HTTP/2. Node.js counts waiting bytes of all streams of a connection, refuses further streams
 * above 10 MB, and keeps counting the bytes of streams that the client gave up.
 */
function* piecesOf(body: Chunk): Generator<Uint8Array, void, void> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.byteLength; at += AHEAD) yield bytes.subarray(at, at + AHEAD);
}

/** Returns whether a response ends the connection while the client still sends its request. */
function isRefusal(status: number, { req, shouldKeepAlive }: Partial<ServerResponse>): boolean {
  if (req === undefined || !isArriving(req)) return false;
  // The rest of a body that a stream store has given up is not read.
  return status === 413 || shouldKeepAlive === false || req.readableDidRead;
}

/**
 * Sends the last response of a connection whose client still sends a body, and closes the connection when the client has had
 * time to read it.
 * @see docs/reference/limits.md
 */
function sendAndClose(
  status: number,
  headers: ODataResponse["headers"],
  body: Chunk | null,
  target: ServerResponse,
): void {
  writeHead(target, status, { ...headers, Connection: "close" });
  if (body === null) target.flushHeaders();
  else target.write(body);
  void discardRest(target.req).then(() => target.end());
}

/** Discards bytes that a rejected client still sends. Resolves when it stops, and after a short while at the latest. */
export function discardRest(request: IncomingMessage): Promise<void> {
  // A hook of the host may have connected the request to a stream without a reader.
  request.unpipe();
  if (request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, REJECTED_LINGER);
    request.once("end", end).once("close", end).resume();
  });
}

/** Returns whether the body of a request is still arriving. Simulated requests do not report it. */
export function isArriving(request: IncomingMessage): boolean {
  // oxlint-disable-next-line typescript/no-unnecessary-boolean-literal-compare -- the property may be absent
  return request.complete === false && announcesBody(request);
}

/**
 * Sends chunks as fast as the client reads them. A failure destroys the connection: a response that ends early must not look
 * complete.
 */
async function sendChunks(chunks: Chunks, target: Writable, coder?: Coder): Promise<void> {
  const gone = new AbortController();
  const { signal } = gone;
  let wake = (): void => undefined;
  const leave = (): void => {
    gone.abort();
    wake();
  };
  if (target.destroyed) leave();
  target.once("close", leave);
  // Middleware of Express that compresses has its own `on`, which returns its stream.
  target.on("drain", () => wake());
  const write = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const piece of pieces) {
      // Some middleware of Express that replaces `write` returns nothing.
      const mayContinue = (target.write(piece) as boolean | undefined) ?? !target.writableNeedDrain;
      // A simulated socket has no length, so the response to it never drains.
      if (mayContinue || target.destroyed || Number.isNaN(target.writableLength)) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    target.end();
  };
  try {
    if (coder === undefined) await pipeline(toStream(chunks), write, { signal });
    else await pipeline(toStream(chunks, coder), coder, write, { signal });
  } catch (error) {
    // The reads of a client that has left are aborted.
    const hasLeft = target.destroyed;
    target.destroy();
    if (!hasLeft) throw error;
  }
}

/**
 * Makes a stream of chunks, which lets other requests run. It makes a chunk when the client has read most of the earlier ones,
 * so a slow client fills no memory. Destroying the stream ends the chunks at once: the next one may never come.
 * @param coder passes on the earlier chunks while one is late
 */
export function toStream(chunks: Chunks, coder?: Coder): Readable {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const turn = new Turn();
  let isLarge = false;
  const flush = (): void => {
    if (coder?.destroyed === false) coder.flush();
  };
  const source: AsyncIterator<Chunk, unknown> = {
    async next() {
      if (isLarge || turn.isOver) await turn.next();
      const timer = coder === undefined ? undefined : setTimeout(flush, LATE);
      try {
        const next = await iterator.next();
        isLarge = next.done !== true && next.value.length >= LARGE;
        return next;
      } finally {
        clearTimeout(timer);
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
  return Readable.from({ [Symbol.asyncIterator]: () => source }, { objectMode: false, highWaterMark: AHEAD });
}
