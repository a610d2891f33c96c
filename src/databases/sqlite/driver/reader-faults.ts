import { protocolError } from "../../../base/errors/odata-error.ts";

/** The seconds after which a client may retry. */
const RETRY_AFTER = "5";

/** Returns the error of a statement that finds no place in the queue. */
export function tooManyQueued(): Error {
  const message = "Too many long queries wait for the database. Try again later, or narrow the query.";
  return protocolError("ServiceUnavailable", message, { headers: { "Retry-After": RETRY_AFTER } });
}

/** Returns the error of a statement whose snapshot has ended, possibly with its thread. */
export function lostSnapshot(): Error {
  return new Error("The snapshot of the statement has ended.");
}

/** Returns the error of a statement whose request was aborted. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("The request was aborted.", { cause: reason });
}
