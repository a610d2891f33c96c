import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import { pause } from "../../base/host.ts";
import { messageOf } from "../../base/message-of.ts";
import type { RuleContext } from "../../definition/context.ts";
import { LockTimeoutError } from "../connection/synchronous-reader.ts";
import { databaseFault, isOutdated, mayPass } from "../kinds/database-fault.ts";

/** The maximum number of attempts after faults that are not a conflict with another transaction. */
const MAX_TRIES = 3;
/** Milliseconds before the second attempt, ±50 %; each further pause is twice as long, up to the longest one. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 1000;

/** How long an attempt is repeated. */
export interface Repetition {
  /** The context of the request, whose client may leave. The context of an application may have no signal. */
  readonly context: Partial<RuleContext> | undefined;
  /** Milliseconds from the first attempt on; null for no limit. */
  readonly timeout: number | null;
  /** Converts the last error. */
  readonly toFailure: (error: unknown) => unknown;
}

/** Whether an error is a conflict with another transaction or an outdated statement, so that a retry may succeed. */
export function isContention(error: unknown): boolean {
  return !isODataError(error) && mayPass(error);
}

/**
 * Repeats an attempt that fails because of a concurrent transaction, after growing pauses: after a serialization failure or a
 * deadlock until the timeout, after other faults up to three attempts in total. An attempt that has waited for a lock until the
 * end of its time is the last one.
 * @param repetitionOf is called after a failure
 * @throws the reason of the signal if the client leaves during a pause
 */
export async function retry<T>(attempt: () => Promise<T>, repetitionOf: () => Repetition): Promise<T> {
  const begun = performance.now();
  let conflict: unknown;
  for (let tries = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      const { context, timeout, toFailure } = repetitionOf();
      if (!isContention(error)) throw withConflict(toFailure(error), tries, conflict);
      tries += 1;
      const wait = pauseAfter(tries);
      const passed = performance.now() - begun;
      const isLate = timeout !== null && passed + wait >= timeout;
      if (isLate || !maySucceed(error, tries)) throw toFailure(tries === 1 ? error : gaveUp(error, tries, passed));
      conflict = error;
      await pause(wait, context?.signal);
    }
  }
}

function pauseAfter(tries: number): number {
  return Math.min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE) * (0.5 + Math.random());
}

function maySucceed(error: unknown, tries: number): boolean {
  return !hasWaited(error) && (tries < MAX_TRIES || databaseFault(error)?.kind === "contention");
}

/** Whether an attempt has already waited for as long as a request may. */
function hasWaited(error: unknown): boolean {
  if (error instanceof LockTimeoutError) return true;
  return error instanceof Error && hasWaited(error.cause);
}

/** Explains the last error in the log. */
function gaveUp(error: unknown, tries: number, passed: number): Error {
  const times = `${String(tries)} attempts in ${String(Math.round(passed))} ms`;
  const reason = isOutdated(error) ? "statements that no longer fit the tables" : "concurrent transactions";
  const message = `Gave up after ${times}, because of ${reason}. The last one failed: ${messageOf(error)}`;
  return new Error(message, { cause: error });
}

/** Explains the failure of a later attempt in the log: if it is out of time, earlier ones took the time. */
function withConflict(failure: unknown, tries: number, conflict: unknown): unknown {
  if (conflict === undefined || !isODataError(failure) || failure.cause === undefined) return failure;
  const { code, message, target, details, headers, mayLog, cause } = failure;
  // Any other error of the status may be that of the application.
  if (code !== "ServiceUnavailable" || failure.status !== 503) return failure;
  const before = `${String(tries)} earlier attempts failed because of concurrent transactions, the last one with: ${messageOf(conflict)}`;
  const explained = new Error(`${messageOf(cause)} ${before}`, { cause });
  return protocolError(code, message, { target, details, cause: explained, headers, mayLog });
}
