import { messageOf } from "../../../base/message-of.ts";

/** Milliseconds after a reload for which requests of the service before it may still fail. */
const LATE = 10_000;
/** The most failures to remember. */
const MOST_KNOWN = 1000;
/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/**
 * The statements that failed as after a change of the schema. A failure that stays while the schema stays the same has another
 * cause, such as a distributed database that evaluates a statement otherwise: the service will not follow it.
 */
export class FailedStatements {
  readonly #noted = new Set<string>();
  readonly #lasting = new Set<string>();
  #reloaded = -LATE;

  /** Notes a failure: the next look at the schema decides on its cause. */
  note(error: unknown): void {
    if (this.#noted.size < MOST_KNOWN) this.#noted.add(causeOf(error));
  }

  /** Whether a failure has another cause than a change of the schema. */
  isLasting(error: unknown): boolean {
    return this.#lasting.has(causeOf(error));
  }

  /** Looks at the schema. @returns the function that takes whether it was the same */
  beginLook(): (isSame: boolean) => void {
    const before = [...this.#noted];
    return (isSame) => {
      for (const cause of before) {
        this.#noted.delete(cause);
        const isLasting = isSame && performance.now() - this.#reloaded > LATE;
        if (isLasting && this.#lasting.size < MOST_KNOWN) this.#lasting.add(cause);
      }
      if (isSame) return;
      this.#reloaded = performance.now();
      this.#lasting.clear();
    };
  }
}

/** Returns the message of the driver, without the table that the service adds. */
function causeOf(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (!(current instanceof Error) || current.cause === undefined) break;
    current = current.cause;
  }
  return messageOf(current);
}
