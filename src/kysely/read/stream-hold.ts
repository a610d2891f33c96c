import { protocolError } from "../../errors/odata-error.ts";
import type { SourceQuery, StreamQuery } from "../../query/source.ts";

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
  const timer = timeout === null || held.transaction === undefined ? undefined : setTimeout(late, timeout);
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
