import type { ServerHttp2Stream } from "node:http2";
import type { ODataResponse } from "../http/odata-response.ts";
import { sendChunks } from "./send-chunks.ts";

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
    stream.respond({ ...fields, "Content-Length": String(Buffer.byteLength(body)) });
    stream.end(body);
  }
}
