import { clearImmediate, setImmediate } from "node:timers";
import { UndoneWriteError } from "../connection/synchronous-reader.ts";

/** The connection of a group, and its commands. */
export interface GroupConnection {
  readonly isTransaction: boolean;
  /** Runs a command without rows, such as `commit`. */
  command(sql: string): void;
}

/** Ends a write of a group. @param undone why nothing was written; undefined after the commit */
type EndMember = (undone: UndoneWriteError | undefined) => void;

/**
 * The writes of one turn of the event loop, in one transaction: one wait for the disk serves them all. Each write has a
 * savepoint, so a failing statement undoes only its own changes. Writes end after the commit, failed ones too: they have
 * seen the changes of the others.
 *
 * If the transaction is undone as a whole, no write has happened: each one ends with an `UndoneWriteError`, and must run
 * again alone. That happens if a trigger demands it, if the commit fails, for example because of a deferred constraint, and
 * if the disk is full.
 * @see https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
 */
export class WriteGroup {
  readonly #connection: GroupConnection;
  #members: EndMember[] | null = null;
  #commits: ReturnType<typeof setImmediate> | undefined;

  constructor(connection: GroupConnection) {
    this.#connection = connection;
  }

  /** Whether the transaction of a group is open. */
  get isOpen(): boolean {
    return this.#members !== null;
  }

  /**
   * Runs a write at once, in the transaction of this turn.
   * @returns a promise for its result, after the commit
   * @throws the error of the database if another process has locked it
   */
  add<T>(write: () => T): Promise<T> {
    if (this.#members === null) this.#begin();
    const outcome = this.#run(write);
    const ended = new Promise<UndoneWriteError | undefined>((end) => {
      this.#members?.push(end);
    });
    if (!this.#connection.isTransaction) this.#end(new UndoneWriteError(undefined));
    return ended.then((undone) => {
      if (undone !== undefined) throw undone;
      return outcome();
    });
  }

  /** Ends the transaction of the group, if one is open. */
  commit(): void {
    if (this.#members === null) return;
    try {
      this.#connection.command("commit");
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.command("rollback");
      this.#end(new UndoneWriteError(error));
      return;
    }
    this.#end(undefined);
  }

  #begin(): void {
    this.#connection.command("begin immediate");
    this.#members = [];
    this.#commits = setImmediate(() => this.commit());
  }

  /** Runs a write with a savepoint. @returns the function that returns its result, or throws its error */
  #run<T>(write: () => T): () => T {
    this.#connection.command("savepoint odatakit_member");
    try {
      const value = write();
      this.#connection.command("release odatakit_member");
      return () => value;
    } catch (error) {
      if (this.#connection.isTransaction) {
        this.#connection.command("rollback to odatakit_member");
        this.#connection.command("release odatakit_member");
      }
      return () => {
        throw error;
      };
    }
  }

  #end(undone: UndoneWriteError | undefined): void {
    const members = this.#members ?? [];
    this.#members = null;
    clearImmediate(this.#commits);
    for (const end of members) end(undone);
  }
}
