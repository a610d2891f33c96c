import type { DatabaseConnection } from "kysely";
import { type AnyKysely, isSynchronousReader } from "./synchronous-reader.ts";

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

const found = new WeakMap<AnyKysely, Found>();

/**
 * The synchronous writer behind a Kysely instance, or null where there is none: the dialect is another, its driver is
 * wrapped by one that wants to hear of each statement, Kysely logs them, or `db` is a transaction. Null, too, at first:
 * only the connection tells, which is waited for behind the first call.
 */
export function synchronousWriterOf(db: AnyKysely): SynchronousWriter | null {
  const known = found.get(db);
  if (known !== undefined) return known.writer;
  const made: Found = { writer: null };
  found.set(db, made);
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
  return made.writer;
}

function isSynchronousWriter(connection: DatabaseConnection): connection is DatabaseConnection & SynchronousWriter {
  // To log statements Kysely puts a function of its own before that of the connection.
  if (Object.hasOwn(connection, "executeQuery")) return false;
  return "mayWrite" in connection && "writeRows" in connection && typeof connection.writeRows === "function";
}
