import type { ControlledTransaction, QueryExecutor } from "kysely";

/** A transaction of this service, which is not continued after an error: its statements may be cancelled. */
export class OwnTransaction {
  readonly transaction: ControlledTransaction<unknown>;
  /** Provides the connections that cancel its statements: its own is in use. */
  readonly pool: QueryExecutor;
  readonly #running = new Set<Promise<unknown>>();

  constructor(transaction: ControlledTransaction<unknown>, pool: QueryExecutor) {
    this.transaction = transaction;
    this.pool = pool;
  }

  /** Records a statement. @param ended resolves after the statement, and after its cancellation */
  track(ended: Promise<unknown>): void {
    const done = ended.finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Ends the transaction after its statements, so that no cancellation meets the next user of the connection. */
  async rollback(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.transaction.rollback().execute();
  }
}
