import type { Kysely, DatabaseConnection } from "kysely";
import { keptPerForeign } from "../../base/memo.ts";

/**
 * Reads at once, without a promise: what the adapter of a dialect offers when its database runs in this process.
 *
 * Cells are `null`, `number`, `string`, `Uint8Array`, and `bigint` for an integer beyond ±(2^53 - 1), so no integer is
 * ever rounded (-2^63, which a number holds, is a number). A statement that wants integers in one form casts them to text.
 */
export interface SynchronousReader {
  /**
   * All rows of a `select`, each as an array of cells in the order of its columns. Rows of a transaction under way on
   * another connection are not seen.
   * @param parameters the values of `?` in their order: null, string, number, bigint within 64 bits, boolean (0 or 1),
   *   Date (its UTC text) or bytes; anything else is refused with an Error, undefined included
   */
  readRows(sql: string, parameters: readonly unknown[]): readonly (readonly unknown[])[];
  /** The first row of a `select`; undefined when there is none. */
  readOne(sql: string, parameters: readonly unknown[]): readonly unknown[] | undefined;
}

/** A Kysely instance whatever its tables: no type but `any` takes them all, for Kysely's is not covariant. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tables of an application are not looked at
export type AnyKysely = Kysely<any>;

const NOTHING: Promise<void> = Promise.resolve();

/**
 * The synchronous reader behind a Kysely instance, or null where there is none: the dialect is another, or `db` is a
 * transaction, whose own rows only its connection sees. Ask once per instance, not per query.
 */
export function synchronousReaderOf(db: AnyKysely): SynchronousReader | null {
  if (db.isTransaction) return null;
  const executor = db.getExecutor();
  const adapter: object = executor.adapter;
  if (!isSynchronousReader(adapter)) return null;
  // Kysely destroys a driver only if it was asked for a connection once. Asking opens no file.
  executor.provideConnection(() => NOTHING).catch(() => undefined);
  return adapter;
}

/** Whether the adapter of a dialect reads at once. */
export function isSynchronousReader(adapter: object): adapter is SynchronousReader {
  return (
    "readRows" in adapter &&
    typeof adapter.readRows === "function" &&
    "readOne" in adapter &&
    typeof adapter.readOne === "function"
  );
}

/**
 * Writes at once, without a promise: what a connection of a dialect offers when its database runs in this process.
 * Cells are those of `SynchronousReader`.
 */
export interface SynchronousWriter {
  /**
   * Whether a statement that is run now is a transaction by itself: nobody has the connection, be it for a transaction
   * or a stream, and the database may be written. To be asked right before each statement.
   */
  readonly mayWrite: boolean;
  /** Runs a statement that answers the rows that it wrote, once. @param parameters as `SynchronousReader` takes them */
  writeRows(sql: string, parameters: readonly unknown[]): readonly (readonly unknown[])[];
}

/** What is known of an instance: nothing before its connection was looked at. */
interface Found {
  writer: SynchronousWriter | null;
}

/**
 * The synchronous writer behind a Kysely instance, or null where there is none: the dialect is another, its driver is
 * wrapped by one that wants to hear of each statement, Kysely logs them, or `db` is a transaction. Null, too, at first:
 * only the connection tells, which is waited for behind the first call.
 */
export function synchronousWriterOf(db: AnyKysely): SynchronousWriter | null {
  return findWriter(db).writer;
}

const findWriter = keptPerForeign((db: AnyKysely): Found => {
  const made: Found = { writer: null };
  const executor = db.getExecutor();
  // Elsewhere a connection is dear, and another one for each user.
  if (!db.isTransaction && isSynchronousReader(executor.adapter)) {
    const look = (connection: DatabaseConnection): Promise<void> => {
      if (isSynchronousWriter(connection)) made.writer = connection;
      return Promise.resolve();
    };
    // One that cannot be had is for the statement to tell.
    executor.provideConnection(look).catch(() => undefined);
  }
  return made;
});

function isSynchronousWriter(connection: DatabaseConnection): connection is DatabaseConnection & SynchronousWriter {
  // To log statements Kysely puts a function of its own before that of the connection.
  if (Object.hasOwn(connection, "executeQuery")) return false;
  return "mayWrite" in connection && "writeRows" in connection && typeof connection.writeRows === "function";
}
