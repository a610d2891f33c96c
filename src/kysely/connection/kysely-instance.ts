import type { AbortableQueryOptions } from "kysely";
import { keptPerForeign } from "../../base/memo.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

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

/** Facts about a database, by the adapter, which is the same for everything derived from one Kysely instance. */
const cancelling = keptPerForeign((_adapter: object): { canCancel?: Promise<boolean> } => ({}));

/**
 * Returns the options that abort a read with a signal; undefined without one. The database cancels the query if its driver supports
 * that, so that abandoned requests occupy neither the database nor its pool; otherwise the result is ignored.
 * @throws the error of the driver if it cannot connect
 * @see docs/reference/sql.md
 */
export async function cancelOptions(
  db: AnyKysely,
  signal: AbortSignal | undefined,
): Promise<AbortableQueryOptions | undefined> {
  if (signal === undefined) return undefined;
  const strategy = (await canCancel(db)) ? "cancel query" : "ignore query";
  return { signal, inflightQueryAbortStrategy: strategy };
}

/** Asks a connection whether its driver can cancel: Kysely refuses to run a statement that it cannot cancel. */
function canCancel(db: AnyKysely): Promise<boolean> {
  const executor = db.getExecutor();
  const { adapter } = executor;
  const known = cancelling(adapter);
  if (known.canCancel === undefined) {
    known.canCancel = executor.provideConnection((connection) => Promise.resolve("cancelQuery" in connection));
    // A database that cannot be reached now may be reached later.
    known.canCancel.catch(() => delete known.canCancel);
  }
  return known.canCancel;
}
