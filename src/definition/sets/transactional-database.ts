import type { RuleContext } from "../context.ts";

/** A database whose sets can be read and written within one transaction. */
export interface TransactionalDatabase {
  /** Tells two databases apart: all sets of one database have the same instance. */
  readonly instance: object;
  /**
   * Runs work as one transaction, which commits when the work succeeds and rolls back when it fails. Work that failed
   * because another transaction was in the way is repeated, three tries in all.
   * @param context of the request: nothing begins for a client that has gone
   * @throws whatever the work throws; ODataError `ServiceUnavailable` after three tries, or without a connection
   */
  transact<T>(work: (transaction: unknown) => Promise<T>, context: RuleContext): Promise<T>;
  /**
   * Runs a part of the work of an open transaction. When it fails, nothing of it is left, and the transaction goes on.
   * @param depth how many parts are around it
   */
  attempt<T>(transaction: unknown, depth: number, part: () => Promise<T>): Promise<T>;
  /** Whether an error means that the whole transaction is lost, and may succeed when it is repeated. */
  isLost(error: unknown): boolean;
}
