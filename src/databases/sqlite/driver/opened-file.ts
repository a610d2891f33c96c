import type { DatabaseSync } from "node:sqlite";
import { builtinModule, pause } from "../../../base/host.ts";
import type { Maybe } from "../../../base/maybe.ts";
import { LockTimeoutError, type WritePatience } from "../../connection/synchronous-reader.ts";
import type { SqliteSettings } from "./prepared-statement.ts";
import { reasonOf } from "./reader-faults.ts";

/** The result code of SQLite for a file that has lost its name. @see https://sqlite.org/rescode.html#readonly_dbmoved */
const DATABASE_MOVED = 1032;

/** The path has no file. Other errors say nothing about the file, such as missing rights for its folder. */
const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR"]);

/** Thrown if the path of a SQLite file names another file than the open one, or none. The transaction was undone. */
class MovedFileError extends Error {
  override readonly name = "MovedFileError";
  readonly code: string = "ERR_SQLITE_ERROR";
  readonly errcode: number = DATABASE_MOVED;

  constructor(path: string, isMissing: boolean) {
    const now = isMissing ? "no longer exists" : "is now another file";
    super(`The SQLite file ${path} ${now}: writes to the file that is open would be lost. Restart the service.`);
  }
}

/**
 * The file of a writable connection. SQLite keeps writing to a file that was replaced or deleted, and these rows are lost. With a
 * rollback journal it notices; with a write-ahead log it does not.
 * @see docs/reference/table-writes.md, A file that is replaced
 */
export class OpenedFile {
  readonly #path: string;
  readonly #checksAtBegin: boolean;
  /** The identity of the file; null if the file system has none. */
  readonly #id: string | null;

  private constructor(path: string, checksAtBegin: boolean) {
    this.#path = path;
    this.#checksAtBegin = checksAtBegin;
    this.#id = identityOf(path);
  }

  /** Returns the file that a connection has just opened; null for a database without a file, or with a file that is only read. */
  static of(database: DatabaseSync, { file, readonly, journalMode }: SqliteSettings): OpenedFile | null {
    const location = database.location();
    if (location === null || readonly) return null;
    // SQLite has followed links. The path itself may be a link that somebody points to another file.
    const paths = builtinModule("node:path") as typeof import("node:path");
    const path = file.startsWith("file:") ? location : paths.resolve(file);
    return new OpenedFile(path, journalMode === "keep");
  }

  /**
   * Checks the file before a command that ends a transaction, so that nothing is acknowledged that would be lost. Without a
   * write-ahead log it checks before the first statement, too: SQLite refuses that statement, but does not name the file.
   * @throws MovedFileError
   */
  checkBefore(command: string): void {
    if (command === "commit" || (this.#checksAtBegin && command === "begin immediate")) this.check();
  }

  /** @throws MovedFileError if the path names another file, or none */
  check(): void {
    if (this.#id === null) return;
    const id = identityOf(this.#path);
    if (id === this.#id || id === null) return;
    throw new MovedFileError(this.#path, id === "");
  }
}

/** Returns the device and the number of a file; an empty text for a missing file, and null if they are unknown. */
function identityOf(path: string): string | null {
  const { statSync } = builtinModule("node:fs") as typeof import("node:fs");
  try {
    // A number cannot represent the identities of all file systems.
    const { dev, ino } = statSync(path, { bigint: true });
    return ino === 0n ? null : `${String(dev)}:${String(ino)}`;
  } catch (error) {
    return error instanceof Error && "code" in error && MISSING.has(error.code) ? "" : null;
  }
}

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
