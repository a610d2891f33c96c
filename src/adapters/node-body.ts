import type { IncomingMessage } from "node:http";
import { BodyBuffer, payloadTooLarge, truncatedBody } from "../http/body-buffer.ts";
import { readContentLength } from "../http/content-headers.ts";

/**
 * Reads the body of a message that nothing has read from.
 * @param maxBytes most bytes that are taken; null for no limit
 * @returns at once where the message has come whole already, else a promise
 * @throws ODataError `PayloadTooLarge` with the first byte above the limit; `InvalidBody` when the body is cut off
 */
export function readMessage(message: IncomingMessage, maxBytes: number | null): Uint8Array | Promise<Uint8Array> {
  const buffer = new BodyBuffer(maxBytes, readContentLength(message.headers["content-length"]));
  if (!message.complete) return gather(message, buffer);
  if (maxBytes !== null && message.readableLength > maxBytes) throw payloadTooLarge(maxBytes);
  const bytes: unknown = message.read();
  if (bytes instanceof Uint8Array) buffer.add(bytes);
  return buffer.end();
}

function gather(message: IncomingMessage, buffer: BodyBuffer): Promise<Uint8Array> {
  if (message.destroyed) throw truncatedBody();
  const gathered = new Promise<BodyBuffer>((resolve, reject) => {
    const stop = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const onData = (chunk: Uint8Array): void => {
      try {
        buffer.add(chunk);
      } catch (error) {
        // What is left is not read: the connection is closed behind the answer.
        message.pause();
        onCut(error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(buffer);
    };
    const onCut = (cause?: unknown): void => {
      stop();
      reject(truncatedBody(cause));
    };
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
  return gathered.then((whole) => whole.end());
}
