import type { ODataResponse } from "./odata-response.ts";

/** Statuses for which a Fetch `Response` accepts no body, not even an empty one. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Creates a Fetch `Response`. It pulls chunks as fast as the client reads them.
 * @param onFailure called when the body fails after the response has begun
 */
export function toFetchResponse(response: ODataResponse, onFailure: (error: unknown) => void): Response {
  const { status, headers, body } = response;
  if (body === null || BODILESS.has(status)) return new Response(null, { status, headers });
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
    return new Response(bytes, { status, headers: { ...headers, "Content-Length": String(bytes.byteLength) } });
  }
  return new Response(toReadableStream(body, onFailure), { status, headers });
}

function toReadableStream(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await iterator.next();
        // The client may have disconnected meanwhile. A closed stream accepts no chunks.
        if (isCancelled) return;
        if (next.done === true) controller.close();
        else controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
      } catch (error) {
        onFailure(error);
        // A body that ends early must not look complete.
        controller.error(error);
      }
    },
    async cancel() {
      isCancelled = true;
      await iterator.return?.();
    },
  });
}
