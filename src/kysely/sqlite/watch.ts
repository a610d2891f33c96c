import { queryTimeout } from "../../errors/odata-error.ts";

/** The longest time of a guarded statement in the main thread, in milliseconds. */
export const MAX_TIME_HERE = 5000;

/** The number of rows that a statement visits between two readings of the clock, minus 1: a power of two. */
const ROWS_BETWEEN = 255;

/** A limit for the running statement of one connection. Its text calls `odata_alive()` in every loop. */
export class Watch {
  readonly #isCancelled: () => boolean;
  #deadline = Infinity;
  #timeout = 0;
  #rows = 0;

  /** @param isCancelled whether the running statement is no longer needed */
  constructor(isCancelled: () => boolean = () => false) {
    this.#isCancelled = isCancelled;
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

  /** The function `odata_alive()` of SQL: always true. @throws ODataError `QueryTimeout` after the deadline */
  readonly alive = (): number => {
    this.#rows = (this.#rows + 1) & ROWS_BETWEEN;
    if (this.#rows === 0) this.#check();
    return 1;
  };

  #check(): void {
    if (performance.now() > this.#deadline || this.#isCancelled()) throw queryTimeout(this.#timeout);
  }
}
