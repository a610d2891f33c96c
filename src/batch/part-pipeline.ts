import type { Maybe } from "../base/maybe.ts";
import type { TransactionalDatabase } from "../definition/sets/transactional-database.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import type { BatchScope } from "../sets/transaction-part.ts";
import type { OperationResponse } from "./write-multipart.ts";

/** A handler that an operation would call to write. */
export interface PlannedWrite {
  /** The set or operation, for errors. */
  readonly name: string;
  /** The database of the set; undefined if the handler belongs to no set of a database. */
  readonly database: TransactionalDatabase | undefined;
  /** Who writes: the library, a handler of the application in the open transaction, or a handler without a transaction. */
  readonly by: "table" | "transactional" | "handler";
}

/** The facts about an operation that are known before it is executed. */
export interface PlannedOperation {
  readonly writes: readonly PlannedWrite[];
  /** The path of an entity in the set in which the operation creates one, with a key that does not matter; otherwise null. */
  readonly created: string | null;
}

/** The pipeline of single requests, through which each operation of a batch passes. */
export interface PartPipeline {
  /**
   * Returns the handlers that a request would call to write. Nothing is executed.
   * @throws ODataError for a path without a resource, and for a method that it does not support
   */
  plan(request: ODataRequest): PlannedOperation;
  /**
   * Waits until the database is known to fit the declarations. Within a transaction it could not be read: the transaction may
   * have the only connection.
   * @throws ODataError if the database cannot be reached, or does not fit
   */
  ready(): Maybe<void>;
  /** Executes a request for the user of the batch. @throws any error of the request */
  answer(request: ODataRequest, scope: BatchScope): Maybe<ODataResponse>;
  /** Finds the position after a change set, and adds it to its responses; without them, to the next response. */
  committed(responses: readonly OperationResponse[]): Maybe<readonly OperationResponse[]>;
  /**
   * Turns an error into a response, and logs it if it is a failure of the service.
   * @param contentId the Content-ID of the operation that failed in a change set; undefined otherwise
   */
  fail(request: ODataRequest, error: unknown, contentId?: string): ODataResponse;
  /** The only database of the service; null with none, or several. */
  readonly database: TransactionalDatabase | null;
}
