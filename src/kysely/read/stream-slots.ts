import { protocolError } from "../../errors/odata-error.ts";

/** How long a stream waits for its turn, in milliseconds, if the request has no other limit. */
const USUAL_PATIENCE = 10_000;

/** The seconds after which a client may retry. */
const RETRY_AFTER = "5";

/** A stream that waits. */
interface Waiting {
  readonly enter: () => void;
}

/**
 * The streams that hold a snapshot of one database: each needs a connection, and keeps the database from discarding old rows.
 * Their number is limited, so that slow clients do not use up all connections.
 */
export class StreamSlots {
  #open = 0;
  readonly #waiting: Waiting[] = [];

  /**
   * Waits for a turn.
   * @param most the greatest number of open streams; null: no limit
   * @param patience in milliseconds; null or undefined: 10 seconds
   * @returns the function that ends the turn; further calls of it have no effect
   * @throws ODataError `ServiceUnavailable` if no stream ends in time; the reason of the signal
   */
  async enter(most: number | null, signal: AbortSignal | undefined, patience?: number | null): Promise<() => void> {
    signal?.throwIfAborted();
    if (most !== null && this.#open >= most) await this.#wait(signal, patience ?? USUAL_PATIENCE);
    else this.#open += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#leave();
      isOpen = false;
    };
  }

  #wait(signal: AbortSignal | undefined, patience: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", give);
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        finish();
      };
      const waiting: Waiting = { enter: () => end(resolve) };
      const give = (): void => end(() => reject(signal?.reason as Error));
      const timer = setTimeout(() => end(() => reject(tooManyStreams())), patience);
      signal?.addEventListener("abort", give, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** Ends a turn, or passes it on. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#open -= 1;
    else next.enter();
  }
}

function tooManyStreams(): Error {
  const message = "Too many long responses are being read. Try again later, or request a smaller page with $top.";
  return protocolError("ServiceUnavailable", message, { headers: { "Retry-After": RETRY_AFTER } });
}
