import type { DatabaseSync } from "node:sqlite";
import { pause } from "../../base/host.ts";
import type { Maybe } from "../../base/maybe.ts";
import { LockTimeoutError, type WritePatience } from "../connection/synchronous-reader.ts";
import { reasonOf } from "./reader-faults.ts";

/** Milliseconds between two tries, like those of SQLite itself. The last one repeats. */
const PAUSES = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50] as const;
const LONGEST = 50;

/** Another connection holds a lock, or recovers the write-ahead log. @see https://sqlite.org/rescode.html#busy */
const LOCKED: ReadonlySet<unknown> = new Set([5, 261]);

/** The lock of a file that other connections may hold. A connection waits for it without stopping the process. */
export class FileLock {
  readonly #database: DatabaseSync;
  readonly #timeout: number;

  /** @param timeout milliseconds; 0 reports a lock at once */
  constructor(database: DatabaseSync, timeout: number) {
    this.#database = database;
    this.#timeout = timeout;
  }

  /** Runs a command that fails at once if the file is locked, where SQLite itself would stop the process to wait. */
  atOnce<T>(run: () => T): T {
    if (this.#timeout === 0) return run();
    this.#database.exec("pragma busy_timeout = 0");
    try {
      return run();
    } finally {
      this.#database.exec(`pragma busy_timeout = ${String(this.#timeout)}`);
    }
  }

  /**
   * Runs a command, again and again until the file is not locked. A command that finds the file locked has changed nothing.
   * @throws the error of the command; LockTimeoutError after the time; the reason of the signal if the client disconnects
   */
  wait<T>(run: () => T, patience: WritePatience): Promise<T> {
    return this.waitFor(() => this.atOnce(run), patience);
  }

  /** As `wait`, for a command that another connection runs, and that fails at once if the file is locked. */
  async waitFor<T>(run: () => Maybe<T>, { since, signal }: WritePatience): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await run();
      } catch (error) {
        if (!isLocked(error) || this.#timeout === 0) throw error;
        const left = since + this.#timeout - performance.now();
        if (left <= 0) throw new LockTimeoutError(error);
        await pause(Math.min(PAUSES[tries] ?? LONGEST, left));
        const client = signal();
        if (client?.aborted === true) throw reasonOf(client);
      }
    }
  }
}

function isLocked(error: unknown): error is Error {
  return error instanceof Error && "errcode" in error && LOCKED.has(error.errcode);
}
