import { protocolError } from "../../base/errors/odata-error.ts";
import { startTimer } from "../../base/within-time.ts";
import type { SourceQuery, StreamQuery } from "../../language/query/source.ts";

/** The resources of a stream between its chunks. */
export interface StreamHold {
  /** The clauses with which each query of the stream is read. */
  readonly scope: Pick<SourceQuery, "signal" | "transaction">;
  /** Whether the next chunk can be read while this process is busy. */
  readonly readsElsewhere: boolean;
  /**
   * Returns a query for the same rows as the stream. A stream that its reader has closed holds no rows any longer.
   * @throws the error that ended the stream early: rows that are read later would not fit the rows that have been sent
   */
  within<Query extends SourceQuery>(query: Query): Query;
  /** Ends the stream and its running statement. Further calls have no effect. */
  end(): void;
}

/** The resources that a stream must release at its end. */
interface Held {
  /** The open transaction or snapshot of the queries; undefined: none. */
  readonly transaction?: unknown;
  readonly readsElsewhere: boolean;
  readonly release: () => void;
}

/**
 * Makes the hold of a stream. It ends with the request, and after the time limit of a stream that holds a snapshot: then the
 * next query fails.
 */
export function holdStream({ signal, streams }: StreamQuery, held: Held): StreamHold {
  const controller = new AbortController();
  const { timeout } = streams;
  let isOpen = true;
  let isBroken = false;
  const end = (reason?: unknown): void => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    signal?.removeEventListener("abort", give);
    controller.abort(reason);
    held.release();
  };
  const breakOff = (reason: unknown): void => {
    isBroken ||= isOpen;
    end(reason);
  };
  const give = (): void => breakOff(signal?.reason);
  const late = (): void => breakOff(tooSlow(timeout ?? 0));
  const timer = timeout === null || held.transaction === undefined ? undefined : startTimer(late, timeout);
  signal?.addEventListener("abort", give, { once: true });
  if (signal?.aborted === true) give();
  const scope = { signal: controller.signal, transaction: held.transaction };
  return {
    scope,
    readsElsewhere: held.readsElsewhere,
    within: (query) => {
      if (isBroken) controller.signal.throwIfAborted();
      return isOpen ? { ...query, ...scope } : query;
    },
    end: () => end(),
  };
}

function tooSlow(timeout: number): Error {
  const message = `The response took more than ${String(timeout / 1000)} s, which is the streamTimeout: request smaller pages.`;
  return protocolError("ServiceUnavailable", message);
}

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
      const timer = startTimer(() => end(() => reject(tooManyStreams())), patience);
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
