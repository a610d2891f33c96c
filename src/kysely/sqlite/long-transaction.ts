import type { SQLInputValue } from "node:sqlite";
import { AbortedTransactionError, type CompiledQuery, SelectQueryNode } from "kysely";
import { required } from "../../base/required.ts";
import { OwnTablesError, type WritePatience } from "../connection/synchronous-reader.ts";
import type { ChangedRows } from "./changed-rows.ts";
import type { LongWrites } from "./long-writes.ts";
import type { WriterThread } from "./writer-thread.ts";

/**
 * A transaction that runs in the thread for long values, from its beginning to its end: each statement and its rows are
 * messages. It was chosen before its first statement, because a transaction cannot change its connection.
 * @see docs/decisions/0052-transactions-in-a-thread.md
 */
export class LongTransaction {
  readonly #longWrites: LongWrites;
  readonly #thread: WriterThread;
  #cursors = 0;
  #hasOwnTables = false;

  private constructor(longWrites: LongWrites, thread: WriterThread) {
    this.#longWrites = longWrites;
    this.#thread = thread;
  }

  /** Begins a transaction. @throws as `LongWrites.begin` */
  static async begin(longWrites: LongWrites, patience: WritePatience): Promise<LongTransaction> {
    return new LongTransaction(longWrites, await longWrites.begin(patience));
  }

  /** Runs a statement. @throws the errors of the database, or of the thread */
  async run({ query, sql }: CompiledQuery, values: readonly SQLInputValue[]): Promise<ChangedRows> {
    const changed = await this.#thread.run({ sql, values, selects: SelectQueryNode.is(query) });
    return required(changed, "A statement has an effect.");
  }

  /** Yields the rows of a statement in chunks. */
  async *stream(
    { sql }: CompiledQuery,
    values: readonly SQLInputValue[],
    size: number,
  ): AsyncGenerator<ChangedRows["rows"], void, undefined> {
    this.#cursors += 1;
    const cursor = this.#cursors;
    let isOpen = true;
    try {
      while (isOpen) {
        const fetched = await this.#thread.run({ sql, values, cursor, rows: size });
        const rows = fetched?.rows ?? [];
        isOpen = rows.length === size;
        if (rows.length > 0) yield rows;
      }
    } finally {
      if (isOpen) await this.#thread.run({ closes: cursor }).catch(() => undefined);
    }
  }

  /** Runs a command, such as one for a savepoint. */
  async control(command: string): Promise<void> {
    await this.#thread.run({ command });
  }

  /** @throws AbortedTransactionError if the database has rolled back the transaction; otherwise as `LongWrites.commit` */
  async commit(patience: WritePatience): Promise<void> {
    if (this.#thread.isAlive && !this.#thread.isTransaction) throw new AbortedTransactionError();
    try {
      await this.#longWrites.commit(this.#thread, patience);
    } catch (error) {
      this.#hasOwnTables = error instanceof OwnTablesError;
      throw error;
    }
  }

  /** Undoes the transaction, unless the database or the end of the thread has undone it. */
  async rollback(): Promise<void> {
    // A thread that keeps the transaction ends when it is released.
    await this.#thread.run({ command: "rollback" }).catch(() => undefined);
  }

  /** Gives the thread back. */
  release(): void {
    this.#longWrites.release(this.#thread, !this.#hasOwnTables);
  }
}
