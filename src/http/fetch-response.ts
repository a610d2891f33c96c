import type { ODataResponse } from "./odata-response.ts";

/** Statuses for which a Fetch `Response` takes no body, not even an empty one. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Makes a Fetch `Response`; chunks are asked for as the client takes them. */
export function toFetchResponse(response: ODataResponse): Response {
  const { status, headers, body } = response;
  if (body === null || BODILESS.has(status)) return new Response(null, { status, headers });
  if (typeof body === "string") return new Response(body, { status, headers });
  if (body instanceof Uint8Array) return new Response(Uint8Array.from(body), { status, headers });
  return new Response(toReadableStream(body), { status, headers });
}

function toReadableStream(chunks: Iterable<string> | AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
