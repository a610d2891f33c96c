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
