import type { ServerHttp2Stream } from "node:http2";
import type { ODataResponse } from "../http/odata-response.ts";
import { sendChunks } from "./send-chunks.ts";

/**
 * The most bytes of a body that a stream gets at once. Node.js counts waiting bytes of all streams of a connection, refuses
 * further streams above 10 MB, and keeps counting the bytes of streams that the client gave up.
 */
const PIECE = 16_384;

/** Sends a response over HTTP/2. Returns a promise only for chunks. A client that has left gets nothing. */
export function sendHttp2Response(
  { status, headers, body }: ODataResponse,
  stream: ServerHttp2Stream,
): void | Promise<void> {
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  // The response to a body that did not arrive in time has been sent.
  const isOver = stream.destroyed || stream.headersSent;
  const fields = { ...headers, ":status": status };
  if (body !== null && !isWhole) {
    if (isOver) stream.destroy();
    return sendChunks(() => stream.respond(fields), body, stream);
  }
  if (isOver) return;
  if (body === null) {
    stream.respond(fields, { endStream: true });
  } else {
    const length = Buffer.byteLength(body);
    stream.respond({ ...fields, "Content-Length": String(length) });
    if (length > PIECE) return sendChunks(() => undefined, piecesOf(body), stream);
    stream.end(body);
  }
}

function* piecesOf(body: string | Uint8Array): Generator<Uint8Array, void, void> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.byteLength; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
