import { queryTimeout, tooMuchMemory } from "../../errors/odata-error.ts";

/** The longest time of a guarded statement in the main thread, in milliseconds. */
export const MAX_TIME_HERE = 5000;

/** Milliseconds between two readings of the memory. */
const MEMORY_KEPT = 10;

/** The conditions that end the statements of a connection before their time. */
interface WatchHooks {
  /** Whether the running statement is no longer needed. */
  readonly isCancelled?: () => boolean;
  /** Whether the running statement has filled the memory. */
  readonly isFull?: () => boolean;
}

/** A limit for the running statement of one connection. Its text calls `odata_alive()` in every loop. */
export class Watch {
  readonly #hooks: WatchHooks;
  #deadline = Infinity;
  #timeout = 0;
  #measured = 0;

  constructor(hooks: WatchHooks = {}) {
    this.#hooks = hooks;
  }

  /**
   * Starts the time of a statement.
   * @param timeout in milliseconds, for the message
   * @param remaining the rest of that time
   */
  begin(timeout: number, remaining: number = timeout): void {
    this.#timeout = timeout;
    this.#deadline = performance.now() + remaining;
  }

  /** Ends the time: statements without a limit may follow. */
  end(): void {
    this.#deadline = Infinity;
  }

  /** The function `odata_alive()` of SQL: always true. @throws ODataError if the statement must end */
  readonly alive = (): number => {
    const { isCancelled, isFull } = this.#hooks;
    const now = performance.now();
    if (now > this.#deadline || isCancelled?.() === true) throw queryTimeout(this.#timeout);
    if (isFull !== undefined && now - this.#measured > MEMORY_KEPT) {
      this.#measured = now;
      if (isFull()) throw tooMuchMemory();
    }
    return 1;
  };
}
