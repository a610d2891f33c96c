import { protocolError } from "../../base/errors/odata-error.ts";
import type { ByteRange } from "../../edm/stream-property.ts";
import { payloadTooLarge, truncatedBody } from "../../http/read-json-body.ts";

/**
 * Returns the chunks of a stream for a response. It reads the next chunk when the client has taken the one before.
 * @param part the bytes that the headers promise
 * @param idleTimeout milliseconds in which the client has to take a chunk; null: no limit
 * @param signal aborted when the client has left
 */
export function sentChunks(
  stream: ReadableStream<Uint8Array>,
  { start, end }: ByteRange,
  idleTimeout: number | null,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  let left = end - start;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failure: Error | null = null;
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  };
  const cancel = async (reason?: unknown): Promise<void> => {
    stop();
    await reader.cancel(reason).catch(() => undefined);
  };
  // A response that nobody reads any more would keep the file open.
  const leave = (): void => void cancel(signal.reason);
  const watch = (): void => {
    if (idleTimeout === null) return;
    timer = setTimeout(() => {
      failure = new Error(`The client took no byte of a stream for ${String(idleTimeout)} milliseconds.`);
      void cancel(failure);
    }, idleTimeout);
  };
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  watch();
  const chunks: AsyncIterator<Uint8Array> = {
    next: async () => {
      clearTimeout(timer);
      if (failure !== null) throw failure;
      const { done, value } = await reader.read();
      if (!done && value.length <= left) {
        left -= value.length;
        watch();
        return { done: false, value };
      }
      await cancel();
      // A response that ends early, or goes on, must not look complete.
      if (left > 0 || !done) throw new Error("The store did not return the bytes of the reference.");
      return { done: true, value: undefined };
    },
    return: async () => {
      await cancel();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => chunks };
}

/**
 * Returns the bytes of a body for a store, with its limits.
 * @param maxBytes the most bytes; null: no limit
 * @param idleTimeout milliseconds in which the client has to send a byte; null: no limit
 */
export function receivedBytes(
  body: ReadableStream<Uint8Array>,
  maxBytes: number | null,
  idleTimeout: number | null,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let length = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await withinIdle(reader.read().catch(cutOff), idleTimeout);
          if (done) return controller.close();
          length += value.length;
          if (maxBytes !== null && length > maxBytes) throw payloadTooLarge(maxBytes);
          controller.enqueue(value);
        } catch (error) {
          void reader.cancel(error).catch(() => undefined);
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read before the store asks for it.
    { highWaterMark: 0 },
  );
}

function cutOff(error: unknown): never {
  throw truncatedBody(error);
}

/** @throws ODataError `RequestTimeout` if the client sends nothing in time */
function withinIdle<T>(next: Promise<T>, idleTimeout: number | null): Promise<T> {
  if (idleTimeout === null) return next;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const time = `${String(idleTimeout)} milliseconds`;
      reject(protocolError("RequestTimeout", `No byte of the body arrived for ${time}. Send the whole body again.`));
    }, idleTimeout);
    next.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
