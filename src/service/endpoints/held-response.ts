import { isODataError, tooManyHeld } from "../../base/errors/odata-error.ts";
import type { HeldShare } from "../../base/held-bytes.ts";
import { chain, type Maybe, recover } from "../../base/maybe.ts";
import { startTimer } from "../../base/within-time.ts";
import type { ODataResponse, ResponseBody } from "../../http/odata-response.ts";
import type { Execution } from "./execution.ts";

/**
 * Makes a response whose bytes count among those of all requests, until it is sent.
 * @throws as `Execution.hold` and `respond`; ODataError `ServiceUnavailable` if it cannot end early where others hold too much
 */
export function whileHeld(execution: Execution, respond: () => Maybe<ODataResponse>): Maybe<ODataResponse> {
  return chain(execution.hold(), (share) => {
    if (share === undefined) return respond();
    const made = recover(respond, (error): never => {
      share.end();
      const isRefused = share.isRefused && isODataError(error) && error.code === "InvalidQueryOption";
      throw isRefused ? tooManyHeld(error) : error;
    });
    return chain(made, (response) => {
      const { body } = response;
      if (isChunked(body)) return { ...response, body: ending(body, share) };
      share.end();
      return response;
    });
  });
}

type Chunks = Extract<ResponseBody, Iterable<unknown> | AsyncIterable<unknown>>;
type ChunkedBody = Exclude<Chunks, string | Uint8Array>;

function isChunked(body: ResponseBody): body is ChunkedBody {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** The time after which a body without a reader no longer counts, in milliseconds. */
const PATIENCE = 300_000;

/** Returns a body that gives the share back at its end, or when its reader leaves. */
function ending(body: ChunkedBody, share: HeldShare): ChunkedBody {
  const timer = startTimer(() => share.end(), PATIENCE);
  // A timer of Node.js keeps the process.
  if (typeof timer === "object") timer.unref();
  const end = (): void => {
    clearTimeout(timer);
    share.end();
  };
  const noted = <R extends IteratorResult<unknown>>(next: R): R => {
    if (next.done === true) end();
    return next;
  };
  const failed = (error: unknown): never => {
    end();
    throw error;
  };
  if (Symbol.asyncIterator in body) {
    return {
      [Symbol.asyncIterator]: () => {
        const chunks = body[Symbol.asyncIterator]();
        return {
          next: () => chunks.next().then(noted, failed),
          return: async () => {
            end();
            return (await chunks.return?.()) ?? DONE;
          },
        };
      },
    };
  }
  return {
    [Symbol.iterator]: () => {
      const chunks = body[Symbol.iterator]();
      return {
        next: () => {
          try {
            return noted(chunks.next());
          } catch (error) {
            return failed(error);
          }
        },
        return: () => {
          end();
          return chunks.return?.() ?? DONE;
        },
      };
    },
  };
}

const DONE = { done: true, value: undefined } as const;
