import { clearImmediate, setImmediate } from "node:timers";
import { UndoneWriteError } from "../../connection/synchronous-reader.ts";

/** The connection of a group, and its commands. */
interface GroupConnection {
  readonly isTransaction: boolean;
  /** Runs a command without rows, such as `commit`. */
  command(sql: string): void;
}

/** Ends a write of a group. @param failure why nothing was written; undefined after the commit */
type EndMember = (failure: Error | undefined) => void;

/** A write that has run. */
interface Outcome<T> {
  /** Returns its result, or throws its error. */
  readonly take: () => T;
  /** Why a failed write could not be undone on its own; null in any other case. */
  readonly broken: UndoneWriteError | null;
}

/**
 * The writes of one turn of the event loop, in one transaction: one wait for the disk serves them all. Each write has a
 * savepoint, so a failing statement undoes only its own changes. Writes end after the commit, failed ones too: they have
 * seen the changes of the others.
 *
 * If the transaction is undone as a whole, no write has happened: each one ends with an `UndoneWriteError`, and must run
 * again alone. That happens if a trigger demands it, if the commit fails, for example because of a deferred constraint, and
 * if the disk is full.
 *
 * If the transaction cannot be undone either, for example because the disk fails, each write ends with an error. The
 * connection then serves no user until the transaction has been undone.
 * @see https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
 */
export class WriteGroup {
  readonly #connection: GroupConnection;
  #members: EndMember[] | null = null;
  #commits: ReturnType<typeof setImmediate> | undefined;
  /** Whether a transaction whose writes have failed may still be open. */
  #isStuck = false;

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
   * @throws the error of the database if another process has locked it, or an earlier transaction cannot be undone
   */
  add<T>(write: () => T): Promise<T> {
    if (this.#members === null) this.#begin();
    const { take, broken } = this.#run(write);
    const ended = new Promise<Error | undefined>((end) => {
      this.#members?.push(end);
    });
    if (broken !== null || !this.#connection.isTransaction) this.#undo(broken ?? new UndoneWriteError(undefined));
    return ended.then((failure) => {
      if (failure !== undefined) throw failure;
      return take();
    });
  }

  /** Ends the transaction of the group, if one is open. It never throws: the writes report a failure. */
  commit(): void {
    if (this.#members === null) return;
    try {
      this.#connection.command("commit");
    } catch (error) {
      this.#undo(new UndoneWriteError(error));
      return;
    }
    this.#end(undefined);
  }

  /**
   * Leaves the connection to another user, without a transaction of the group.
   * @throws the error of the database if a transaction can be neither committed nor undone
   */
  settle(): void {
    this.commit();
    if (!this.#isStuck) return;
    if (this.#connection.isTransaction) this.#connection.command("rollback");
    this.#isStuck = false;
  }

  #begin(): void {
    this.settle();
    this.#connection.command("begin immediate");
    this.#members = [];
    this.#commits = setImmediate(() => this.commit());
  }

  /** Runs a write with a savepoint. */
  #run<T>(write: () => T): Outcome<T> {
    try {
      this.#connection.command("savepoint odatakit_member");
      const value = write();
      this.#connection.command("release odatakit_member");
      return { take: () => value, broken: null };
    } catch (error) {
      return { take: () => rethrow(error), broken: this.#undoMember() };
    }
  }

  /** Undoes the changes of one write. @returns why it could not, so that the whole transaction must be undone */
  #undoMember(): UndoneWriteError | null {
    if (!this.#connection.isTransaction) return null;
    try {
      this.#connection.command("rollback to odatakit_member");
      this.#connection.command("release odatakit_member");
      return null;
    } catch (error) {
      return new UndoneWriteError(error);
    }
  }

  /** Undoes the transaction of the group. */
  #undo(undone: UndoneWriteError): void {
    try {
      if (this.#connection.isTransaction) this.#connection.command("rollback");
    } catch (error) {
      // A write that ran again in the open transaction would be acknowledged, and possibly never be committed.
      this.#isStuck = true;
      const message = "The transaction that several writes shared could be neither committed nor undone.";
      this.#end(new Error(message, { cause: undone.cause ?? error }));
      return;
    }
    this.#end(undone);
  }

  #end(failure: Error | undefined): void {
    const members = this.#members ?? [];
    this.#members = null;
    clearImmediate(this.#commits);
    for (const end of members) end(failure);
  }
}

function rethrow(error: unknown): never {
  throw error;
}
