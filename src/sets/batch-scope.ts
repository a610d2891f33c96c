import type { TransactionPart } from "./transaction-part.ts";

/** The state that the operations of a batch share. */
export interface BatchScope {
  /** Its part of the transaction of the change set; null outside of a transaction. */
  readonly transactionPart: TransactionPart | null;
  /** The number of entities in the responses of the batch so far: one limit applies to all of them. */
  readonly counted: { total: number };
  /**
   * Returns the URL that a reference such as `$1` in a body names; any other text as it is.
   * @throws ODataError for a reference to an operation that failed or does not exist
   */
  readonly dereference: (text: string) => string;
}
