import type { ByteCount } from "../../base/byte-count.ts";
import { noFreeConnection } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import { startTimer } from "../../base/within-time.ts";
import type { Caller, Reading } from "../../language/query/reading.ts";
import { OwnTransaction } from "./limited-query.ts";
import type { StatementFacts } from "./statement-facts.ts";
import { synchronousReaderOf, type AnyKysely, type SynchronousReader } from "./synchronous-reader.ts";

/** How long a request waits for a statement. */
export interface Patience {
  /** Aborted when the client disconnects. It is read only if the statement does not run at once. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; null for no limit, undefined for 10 seconds in this process and no limit elsewhere. */
  readonly timeout?: number | null | undefined;
  /** Where the request reads a database that tells its position; absent: the primary. */
  readonly reading?: Reading | null | undefined;
  /** The client that waits; absent if unknown. */
  readonly caller?: Caller | undefined;
  /** As in `ReadScope`, for statements whose facts have `row`; a single row of more bytes is an error. */
  readonly bytes?: ByteCount | undefined;
}

/**
 * Reads long statements elsewhere: the interface of a dialect's adapter whose database runs in this process. Cells are as
 * in `SynchronousReader`.
 */
export interface PatientReader extends SynchronousReader {
  /** A condition for statements that others write: it is always true, and ends the statement after its time. */
  readonly alive: string;
  /**
   * Returns all rows of a `select`: at once if it is short, otherwise as a promise.
   * @param facts the translator's facts about the statement; without them, it is short only if it searches single rows
   * @throws ODataError `QueryTimeout` after the time, `ServiceUnavailable` if too many statements wait
   */
  read(
    sql: string,
    parameters: readonly unknown[],
    patience: Patience,
    facts?: StatementFacts,
  ): Maybe<readonly (readonly unknown[])[]>;
  /** Returns the first row of a `select` in the same way; undefined without rows. */
  readFirst(
    sql: string,
    parameters: readonly unknown[],
    patience: Patience,
    facts?: StatementFacts,
  ): Maybe<readonly unknown[] | undefined>;
  /** Opens a snapshot; null if the database has none that block no writes. @throws ODataError if no thread can start */
  snapshot(): SnapshotReader | null;
}

/** Reads one snapshot of the database, which other requests may change meanwhile. Each statement runs elsewhere. */
export interface SnapshotReader extends PatientReader {
  /** Ends the snapshot. Further calls have no effect. */
  end(): void;
}

/** Returns the reader of a Kysely instance that can run long statements elsewhere; null without one. */
export function patientReaderOf(db: AnyKysely): PatientReader | null {
  const reader = synchronousReaderOf(db);
  return reader !== null && isPatientReader(reader) ? reader : null;
}

/** Whether a reader can run long statements elsewhere. */
export function isPatientReader(reader: SynchronousReader): reader is PatientReader {
  return "read" in reader && typeof reader.read === "function" && "readFirst" in reader;
}

/**
 * Opens a transaction that reads one snapshot. The wait for a connection of the pool ends with the request: a transaction
 * that begins later is rolled back at once.
 * @throws the reason of the signal; ODataError `QueryTimeout`; the error of Kysely if it cannot connect
 */
export function beginInTime(db: AnyKysely, { signal, timeout = null }: Patience): Promise<OwnTransaction> {
  const begun = db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let isOver = false;
    const settle = (finish: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      finish();
    };
    const leave = (): void => settle(() => reject(signal?.reason as Error));
    const late = (): void => settle(() => reject(noFreeConnection()));
    const timer = timeout === null ? undefined : startTimer(late, timeout);
    signal?.addEventListener("abort", leave, { once: true });
    begun.execute().then(
      (transaction) => {
        // The request no longer waits for the connection. If the connection is lost, it has no transaction either.
        if (!isOver) return settle(() => resolve(new OwnTransaction(transaction, db.getExecutor())));
        const ended = transaction.rollback().execute();
        return void ended.catch(() => undefined);
      },
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the driver as it is
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
