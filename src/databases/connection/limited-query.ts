import type { DatabaseConnection, QueryExecutor, ControlledTransaction } from "kysely";
import { noFreeConnection, queryTimeout } from "../../base/errors/odata-error.ts";
import { startTimer } from "../../base/within-time.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/** The conditions that end a query before it has a result. */
interface QueryLimit {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds; null for no limit. */
  readonly timeout: number | null;
  /** The milliseconds that the error names. */
  readonly stated: number | null;
  /** The transaction of the query; absent: the query has its own connection. */
  readonly transaction?: OwnTransaction | undefined;
}

/**
 * Runs a query on a connection until its client disconnects or its time is over. The database then cancels the query if the driver supports
 * that, so that abandoned requests occupy neither the database nor its pool; otherwise the result is ignored.
 *
 * The query has no signal of Kysely: Kysely prints the errors of queries that it cancels.
 * @throws the reason of the signal; ODataError `QueryTimeout`; errors of the query
 * @see docs/reference/limits.md, Time
 */
export function runLimited<R>(
  db: AnyKysely,
  query: (connection: DatabaseConnection) => Promise<R>,
  { signal, timeout, stated, transaction }: QueryLimit,
): Promise<R> {
  signal?.throwIfAborted();
  const executor = db.getExecutor();
  if (signal === undefined && timeout === null) return executor.provideConnection(query);
  return new Promise((resolve, reject) => {
    const run = new LimitedQuery(executor, transaction);
    /** Ends the limits once, with the result or an error. */
    const settle = (finish: () => void): void => {
      if (run.isOver) return;
      run.isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      finish();
    };
    const stop = (reason: unknown): void => {
      settle(() => {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of the signal as it is
        reject(reason);
        run.cancel();
      });
    };
    const leave = (): void => stop(signal?.reason);
    const timer =
      timeout === null
        ? undefined
        : startTimer(() => stop(run.isRunning ? queryTimeout(stated) : noFreeConnection()), timeout);
    signal?.addEventListener("abort", leave, { once: true });
    run.execute(query).then(
      (result) => settle(() => resolve(result)),
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the driver as it is
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** A query, the connection on which it runs, and its cancellation. */
class LimitedQuery {
  readonly #executor: QueryExecutor;
  readonly #transaction: OwnTransaction | undefined;
  #connection: DatabaseConnection | null = null;
  #cancelled: Promise<void> | undefined;
  /** Whether the cancellation waits for another connection of the pool. */
  #isWaiting = false;
  #hasEnded = false;
  isOver = false;
  /** Whether it has a connection. */
  isRunning = false;

  constructor(executor: QueryExecutor, transaction: OwnTransaction | undefined) {
    this.#executor = executor;
    this.#transaction = transaction;
  }

  execute<R>(query: (connection: DatabaseConnection) => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      const run = async (connection: DatabaseConnection): Promise<void> => {
        this.isRunning = true;
        if (connection.cancelQuery !== undefined && !this.isOver) await connection.collectSessionInfo?.();
        // The client has left while the query waited for a connection.
        if (this.isOver) return;
        this.#connection = connection;
        // The result does not wait for the release of the connection.
        await query(connection).then(resolve, reject);
        this.#hasEnded = true;
        // A late cancellation must not meet the next query of the connection. One without a connection may wait for this one.
        if (!this.#isWaiting) await this.#cancelled;
      };
      const ended = this.#executor.provideConnection(run).catch(reject);
      this.#transaction?.track(ended);
    });
  }

  cancel(): void {
    const connection = this.#connection;
    if (connection?.cancelQuery === undefined) return;
    // A query that has ended meanwhile cannot be cancelled. The limit of the database ends a query that continues.
    this.#cancelled = connection.cancelQuery((use) => this.#provide(use)).catch(() => undefined);
  }

  /** Gets a connection for the cancellation, unless the query ends first. */
  async #provide(use: (other: DatabaseConnection) => Promise<void>): Promise<void> {
    if (this.#hasEnded) return;
    this.#isWaiting = true;
    const executor = this.#transaction?.pool ?? this.#executor;
    await executor.provideConnection(async (other) => {
      this.#isWaiting = false;
      if (!this.#hasEnded) await use(other);
    });
  }
}

/** A transaction of this service, which is not continued after an error: its statements may be cancelled. */
export class OwnTransaction {
  readonly transaction: ControlledTransaction<unknown>;
  /** Provides the connections that cancel its statements: its own is in use. */
  readonly pool: QueryExecutor;
  /** Whether it has the savepoint to which it goes back after a statement that may be refused. */
  hasSavepoint = false;
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
