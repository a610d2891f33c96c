import type { Kysely, DatabaseConnection, DynamicModule, Transaction } from "kysely";
import type { Maybe } from "../../base/maybe.ts";
import { keptPerForeign } from "../../base/memo.ts";

/**
 * Reads synchronously: the interface of a dialect's adapter if its database runs in this process.
 *
 * Cells are `null`, `number`, `string`, `Uint8Array`, and `bigint` for an integer beyond ±(2^53 - 1), so integers are never
 * rounded (-2^63, which a number represents exactly, is a number). To get integers in one form, cast them to text.
 */
export interface SynchronousReader {
  /**
   * Returns all rows of a `select`, each as an array of cells in the order of its columns. Rows of an open transaction on
   * another connection are not visible.
   * @param parameters the values of `?` in their order: null, string, number, bigint within 64 bits, boolean (0 or 1),
   *   Date (as UTC text) or bytes
   * @throws Error for any other value, including undefined
   */
  readRows(sql: string, parameters: readonly unknown[]): readonly (readonly unknown[])[];
  /** Returns the first row of a `select`; undefined without rows. */
  readOne(sql: string, parameters: readonly unknown[]): readonly unknown[] | undefined;
}

/** A Kysely instance with any tables. Only `any` accepts them all, because Kysely's type is not covariant. */
// oxlint-disable-next-line typescript/no-explicit-any -- the types of the application's tables do not matter
export type AnyKysely = Kysely<any>;

/** Whether a value is a Kysely instance. */
export function isKysely(db: unknown): db is AnyKysely {
  return typeof db === "object" && db !== null && "getExecutor" in db && typeof db.getExecutor === "function";
}

/** The transactions of a database, with the types of its tables. */
export type TransactionOf<Db extends AnyKysely> =
  Db["dynamic"] extends DynamicModule<infer Tables> ? Transaction<Tables> : never;

const NOTHING: Promise<void> = Promise.resolve();

/**
 * Returns the synchronous reader of a Kysely instance. Returns null for another dialect and for a transaction, whose rows
 * are visible only on its own connection. Call it once per instance, not once per query.
 */
export function synchronousReaderOf(db: AnyKysely): SynchronousReader | null {
  if (db.isTransaction) return null;
  const executor = db.getExecutor();
  const adapter: object = executor.adapter;
  if (!isSynchronousReader(adapter)) return null;
  // Kysely destroys a driver only if it has provided a connection before. Providing one opens no file.
  executor.provideConnection(() => NOTHING).catch(() => undefined);
  return adapter;
}

/** Whether the adapter of a dialect reads synchronously. */
function isSynchronousReader(adapter: object): adapter is SynchronousReader {
  return (
    "readRows" in adapter &&
    typeof adapter.readRows === "function" &&
    "readOne" in adapter &&
    typeof adapter.readOne === "function"
  );
}

/**
 * Writes synchronously: the interface of a dialect's connection if its database runs in this process. Cells are as in
 * `SynchronousReader`.
 */
export interface SynchronousWriter {
  /**
   * Whether a write now would be its own transaction: the connection is not in use for a transaction or a stream, and the
   * database is writable. Check this immediately before each write.
   */
  readonly mayWrite: boolean;
  /**
   * Runs a write at once. A database in a file may commit the writes of several requests together.
   * @param work runs statements with the given function; its changes are undone if it throws
   * @returns the result of the work, once its changes are durable
   * @throws the errors of the work; UndoneWriteError if nothing was written and the write must run again alone
   */
  write<T>(work: (run: RunRows) => T): Maybe<T>;
  /**
   * Makes the use of the connection that a function requests synchronously wait as a request does: until its time has
   * passed or its client disconnects.
   */
  patiently<T>(patience: WritePatience, request: () => T): T;
}

/** How long a request waits for a lock that another connection holds. */
export interface WritePatience {
  /** When the request began to wait, on the clock of `performance.now()`. */
  readonly since: number;
  /** Aborted when the client disconnects. It is called only if the request waits. */
  readonly signal: () => AbortSignal | undefined;
}

/** Runs a statement once and returns the rows that it wrote. @param parameters as for `SynchronousReader` */
export type RunRows = (sql: string, parameters: readonly unknown[]) => readonly (readonly unknown[])[];

/** A write was undone together with others, and may succeed if it runs alone. */
export class UndoneWriteError extends Error {
  override readonly name = "UndoneWriteError";

  constructor(cause: unknown) {
    super("The transaction that several writes shared was undone.", { cause });
  }
}

/** The writer of an instance; null until its connection has been inspected. */
interface Found {
  writer: SynchronousWriter | null;
  /** The connection whose transactions wait as requests do; null for another dialect. */
  patient: Pick<SynchronousWriter, "patiently"> | null;
  /** Ends when the connection has been inspected; null afterwards. */
  inspection: Promise<void> | null;
}

/** Another connection held the lock of the file for longer than a request waits. It has the codes of its cause. */
export class LockTimeoutError extends Error {
  override readonly name = "LockTimeoutError";
  readonly code: unknown;
  readonly errcode: unknown;

  constructor(cause: Error & { readonly code?: unknown; readonly errcode?: unknown }) {
    super(cause.message, { cause });
    this.code = cause.code;
    this.errcode = cause.errcode;
  }
}

/** Requests a connection that waits for a lock as long as a request does, if the database is a file of this process. */
export function patiently<T>(db: AnyKysely, patience: WritePatience, request: () => Promise<T>): Promise<T> {
  const found = findWriter(db);
  const begin = (): Promise<T> => found.patient?.patiently(patience, request) ?? request();
  return found.inspection === null ? begin() : found.inspection.then(begin);
}

/**
 * Returns the synchronous writer of a Kysely instance. Returns null for another dialect, for a wrapped driver that observes
 * statements, if Kysely logs statements, and for a transaction. The first call also returns null: it only starts inspecting
 * the connection, which needs a promise.
 */
export function synchronousWriterOf(db: AnyKysely): SynchronousWriter | null {
  return findWriter(db).writer;
}

const findWriter = keptPerForeign((db: AnyKysely): Found => {
  const made: Found = { writer: null, patient: null, inspection: null };
  const executor = db.getExecutor();
  // In other databases connections are expensive, and each user gets a different one.
  if (!db.isTransaction && isSynchronousReader(executor.adapter)) {
    const inspect = (connection: DatabaseConnection): Promise<void> => {
      if (isSynchronousWriter(connection)) {
        made.patient = connection;
        // To log statements, Kysely overrides this method on the connection.
        if (!Object.hasOwn(connection, "executeQuery")) made.writer = connection;
      }
      return Promise.resolve();
    };
    // Without a connection, the statement reports the error.
    const inspection = executor.provideConnection(inspect).catch(() => undefined);
    made.inspection = inspection.then(() => {
      made.inspection = null;
    });
  }
  return made;
});

function isSynchronousWriter(connection: DatabaseConnection): connection is DatabaseConnection & SynchronousWriter {
  return "mayWrite" in connection && "write" in connection && typeof connection.write === "function";
}

/** Returns the open transaction of a context; null without one, or for a transaction of another library. */
export function openTransaction(transaction: unknown): AnyKysely | null {
  if (typeof transaction !== "object" || transaction === null) return null;
  return "isTransaction" in transaction && transaction.isTransaction === true ? (transaction as AnyKysely) : null;
}

/**
 * Whether a transaction runs on the database of a Kysely instance. Everything derived from one instance shares its adapter.
 */
export function isOfDatabase(transaction: AnyKysely, db: AnyKysely): boolean {
  return transaction === db || transaction.getExecutor().adapter === db.getExecutor().adapter;
}

/** How several statements of a server read one snapshot, in one transaction. */
export interface SnapshotSyntax {
  /** Whether a transaction leaves connections for other requests. */
  readonly hasConnections: (adapter: object) => boolean;
  /** Returns the commands that begin such a transaction. @param timeout milliseconds for each statement; null: no limit */
  readonly begin: (timeout: number | null) => readonly string[];
}
