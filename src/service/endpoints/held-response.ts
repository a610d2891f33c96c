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
type Chunk = string | Uint8Array;
type ChunkedBody = Exclude<Chunks, string | Uint8Array>;

function isChunked(body: ResponseBody): body is ChunkedBody {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** The time without a read after which a body ends, in milliseconds: its host may have dropped it. */
const PATIENCE = 300_000;

/**
 * Returns a body that gives the share back at its end, or when its reader leaves. If nobody reads it for long, it ends, so that
 * its memory is free together with the share.
 */
function ending(body: ChunkedBody, share: HeldShare): ChunkedBody {
  if (Symbol.asyncIterator in body) {
    const held = new HeldChunks(body[Symbol.asyncIterator](), share);
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => held.begin().next().then(held.noted, held.failed),
        return: async () => (await held.leave()?.return?.()) ?? DONE,
      }),
    };
  }
  const held = new HeldChunks(body[Symbol.iterator](), share);
  return {
    [Symbol.iterator]: () => ({
      next: () => {
        const chunks = held.begin();
        try {
          return held.noted(chunks.next());
        } catch (error) {
          return held.failed(error);
        }
      },
      return: () => held.leave()?.return?.() ?? DONE,
    }),
  };
}

/** The chunks of a body, which count until they end. Nothing else may refer to them, so that they can be freed. */
class HeldChunks<Chunks extends Iterator<Chunk> | AsyncIterator<Chunk>> {
  #chunks: Chunks | null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #share: HeldShare;

  constructor(chunks: Chunks, share: HeldShare) {
    this.#chunks = chunks;
    this.#share = share;
    this.#wait();
  }

  /** Returns the chunks, for a read. @throws Error if they have ended without a reader */
  begin(): Chunks {
    if (this.#chunks === null) throw new Error("The client read nothing for too long: the response has ended.");
    clearTimeout(this.#timer);
    return this.#chunks;
  }

  readonly noted = <R extends IteratorResult<unknown>>(next: R): R => {
    if (next.done === true) this.#share.end();
    else this.#wait();
    return next;
  };

  readonly failed = (error: unknown): never => {
    this.#share.end();
    throw error;
  };

  /** Gives the share back, and the chunks, which the caller ends. */
  leave(): Chunks | null {
    clearTimeout(this.#timer);
    const chunks = this.#chunks;
    this.#chunks = null;
    this.#share.end();
    return chunks;
  }

  #wait(): void {
    this.#timer = startTimer(() => void recover<unknown, void>(() => this.leave()?.return?.(), ignore), PATIENCE);
    // A timer of Node.js keeps the process.
    if (typeof this.#timer === "object") this.#timer.unref();
  }
}

function ignore(): void {
  // Nobody reads the body.
}

const DONE = { done: true, value: undefined } as const;
