import type { AbortableQueryOptions } from "kysely";
import { keptPerForeign } from "../../base/memo.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/** Returns the open transaction of a context; null where it has none, or one that is not Kysely's. */
export function openTransaction(transaction: unknown): AnyKysely | null {
  if (typeof transaction !== "object" || transaction === null) return null;
  return "isTransaction" in transaction && transaction.isTransaction === true ? (transaction as AnyKysely) : null;
}

/**
 * Whether a transaction runs on the database of a Kysely instance. All that is made of one instance shares its adapter.
 */
export function isOfDatabase(transaction: AnyKysely, db: AnyKysely): boolean {
  return transaction === db || transaction.getExecutor().adapter === db.getExecutor().adapter;
}

/** What is known of a database, by the adapter that all that is made of one Kysely instance share. */
const cancelling = keptPerForeign((_adapter: object): { canCancel?: Promise<boolean> } => ({}));

/**
 * How a read goes on when nobody waits for it any more: the database is told to end it where its driver can do that, so
 * that clients that have gone occupy neither it nor the connections of its pool; else its answer is passed over.
 * @throws what the driver throws when there is no connection
 * @see decisions, Smaller points (the cost of a request)
 */
export async function cancelOptions(db: AnyKysely, signal: AbortSignal): Promise<AbortableQueryOptions> {
  const strategy = (await canCancel(db)) ? "cancel query" : "ignore query";
  return { signal, inflightQueryAbortStrategy: strategy };
}

/** Only a connection tells what its driver can do; Kysely refuses to run a statement that it could not cancel. */
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
