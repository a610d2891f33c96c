import { setTimeout as sleep } from "node:timers/promises";
import type { Maybe } from "../../base/maybe.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { databaseFault } from "../dialects/database-fault.ts";

/** Tries of what the framework may repeat. */
const MAX_TRIES = 3;
/** Milliseconds before the second try, give or take half of them; each further one waits twice as long. */
const FIRST_DELAY = 20;

/** Whether another transaction was in the way: the same again may succeed. */
export function isContention(error: unknown): boolean {
  return !isODataError(error) && databaseFault(error)?.kind === "contention";
}

/**
 * Repeats an attempt while other transactions are in the way, three tries in all.
 * @param toFailure makes what is thrown of the last error
 * @param failed how many tries have failed already
 */
export async function retry<T>(
  attempt: () => Maybe<T>,
  toFailure: (error: unknown) => unknown,
  failed: number = 0,
): Promise<T> {
  for (let tries = failed; ;) {
    if (tries > 0) await sleep(FIRST_DELAY * 2 ** (tries - 1) * (0.5 + Math.random()));
    try {
      return await attempt();
    } catch (error) {
      tries += 1;
      if (!isContention(error) || tries === MAX_TRIES) throw toFailure(error);
    }
  }
}
