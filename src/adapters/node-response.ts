import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ODataResponse } from "../http/odata-response.ts";

/** Sends a response: one write for text, chunk by chunk for an iterable. A promise only where chunks are sent. */
export function sendResponse(response: ODataResponse, target: ServerResponse): void | Promise<void> {
  const { status, headers, body } = response;
  if (body === null) {
    target.writeHead(status, headers);
    target.end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    target.writeHead(status, { ...headers, "Content-Length": String(length) });
    target.end(body);
  } else {
    return sendChunks(response, body, target);
  }
}

/**
 * Sends chunks as fast as the client takes them, with a turn for other requests after each. A failure in between
 * destroys the connection: an answer that ends early must not look whole.
 */
async function sendChunks(
  { status, headers }: ODataResponse,
  chunks: Iterable<string> | AsyncIterable<string>,
  target: ServerResponse,
): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!target.headersSent) target.writeHead(status, headers);
      if (target.destroyed) return;
      target.write(chunk);
      await nextTurn();
      if (target.writableNeedDrain && !target.destroyed) await untilWritable(target);
    }
    target.end();
  } catch (error) {
    target.destroy();
    throw error;
  }
}

/** Waits until the client has taken what was written, or is gone. No listener stays behind, however often it pauses. */
function untilWritable(target: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off("drain", done).off("close", done);
      resolve();
    };
    target.on("drain", done).on("close", done);
  });
}
