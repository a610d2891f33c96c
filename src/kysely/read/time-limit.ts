import { queryTimeout } from "../../errors/odata-error.ts";

/** Aborts a statement when its client disconnects, or when its time is over. */
export class TimeLimit {
  readonly #signal: AbortSignal | undefined;
  readonly #timeout: number | null;
  #stop: (() => void) | undefined;

  readonly #stated: number | null;

  /**
   * @param timeout in milliseconds; null for no limit
   * @param stated the limit that the error names
   */
  constructor(signal: AbortSignal | undefined, timeout: number | null, stated: number | null = timeout) {
    this.#signal = signal;
    this.#timeout = timeout;
    this.#stated = stated;
  }

  /**
   * Starts the time.
   * @returns undefined if nothing can end the statement
   */
  start(): AbortSignal | undefined {
    const [signal, timeout] = [this.#signal, this.#timeout];
    if (timeout === null) return signal;
    // The signals of the platform would keep their timers after the statement has ended.
    const controller = new AbortController();
    const give = (): void => controller.abort(signal?.reason);
    const timer = setTimeout(() => controller.abort(queryTimeout(this.#stated)), timeout);
    signal?.addEventListener("abort", give, { once: true });
    this.#stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", give);
    };
    return controller.signal;
  }

  /** Ends the time. */
  end(): void {
    this.#stop?.();
  }
}
