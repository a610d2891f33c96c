import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { startTimer } from "../../base/within-time.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { ODataResponse, ResponseBody } from "../../http/odata-response.ts";

/**
 * The time that the operations of one batch may take together. The time in which a client does not read its response is not
 * counted.
 * @see docs/reference/batch.md, Time
 */
export class BatchTime {
  readonly #batch: ODataRequest;
  readonly #timeout: number | null;
  #used = 0;
  #begun: number | null = null;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param timeout in milliseconds; null for no limit */
  constructor(batch: ODataRequest, timeout: number | null) {
    this.#batch = batch;
    this.#timeout = timeout;
  }

  /** @throws ODataError `ServiceUnavailable` if no time is left for another operation */
  check(): void {
    if (this.#timeout === null) return;
    // A timer may fire a little earlier than the clock.
    const isOver = this.#used >= this.#timeout || this.#controller?.signal.aborted === true;
    if (isOver) throw tooLong(this.#timeout);
  }

  /** Executes an operation or a change set, and counts its time. */
  async spend<T>(work: () => PromiseLike<T>): Promise<T> {
    const begun = performance.now();
    this.#begun = begun;
    this.#startTimer();
    try {
      return await work();
    } finally {
      clearTimeout(this.#timer);
      this.#begun = null;
      this.#used += performance.now() - begun;
    }
  }

  /** Counts the time in which the chunks of a response are made. A response that has begun is not cut off. */
  counting(response: ODataResponse): ODataResponse {
    const { body } = response;
    if (body === null || typeof body === "string" || body instanceof Uint8Array) return response;
    return { ...response, body: this.#counted(body) };
  }

  #counted(body: Exclude<ResponseBody, string | Uint8Array | null>): AsyncIterable<string | Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
        return {
          next: async () => {
            const begun = performance.now();
            const next = await iterator.next();
            this.#used += performance.now() - begun;
            return next;
          },
          return: async () => {
            await iterator.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  /** Aborted when the client leaves, and when the time is over: reads are then cancelled. Expensive to create. */
  get signal(): AbortSignal {
    if (this.#timeout === null) return this.#batch.signal;
    if (this.#signal === undefined) {
      this.#controller = new AbortController();
      this.#signal = AbortSignal.any([this.#batch.signal, this.#controller.signal]);
      this.#startTimer();
    }
    return this.#signal;
  }

  #startTimer(): void {
    const [controller, begun, timeout] = [this.#controller, this.#begun, this.#timeout];
    if (controller === undefined || begun === null || timeout === null) return;
    const left = timeout - this.#used - (performance.now() - begun);
    this.#timer = startTimer(() => controller.abort(tooLong(timeout)), Math.max(left, 0));
  }
}

function tooLong(timeout: number): ODataError {
  return protocolError(
    "ServiceUnavailable",
    `The operations of the batch took longer than ${String(timeout / 1000)} seconds together. Send fewer operations at once.`,
  );
}
