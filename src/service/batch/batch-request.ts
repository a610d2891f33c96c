import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { PlannedWrite, TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import type { BatchScope } from "../sets/transaction-part.ts";
import type { OperationResponse } from "./write-multipart.ts";

/** One operation of a batch, as the client sent it. Nothing but its framing has been checked. */
export interface BatchOperation {
  readonly kind: "operation";
  /** The Content-ID of a part, or the id of a JSON request; undefined if absent. */
  readonly id: string | undefined;
  readonly method: string;
  /** The URL as sent: absolute, relative to the service root, or starting with a reference such as `$1`. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  /** The ids that must have succeeded before; JSON only. */
  readonly dependsOn: readonly string[];
  /** Why the request cannot be read: the response of this operation. Undefined for a readable request. */
  readonly fault: ODataError | undefined;
}

/** Operations that succeed or fail together. @see OData Protocol 4.0, section 11.7.1 */
export interface ChangeSet {
  readonly kind: "changeSet";
  /** The name of a JSON atomicity group; undefined in multipart. */
  readonly id: string | undefined;
  readonly operations: readonly BatchOperation[];
}

/** One part of a batch. */
export type BatchItem = BatchOperation | ChangeSet;

/** The methods whose requests have bodies. A body of any other method is ignored. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** The syntax of ids. @see OData Protocol 4.0, section 11.7.2; RFC 3986, section 2.3 */
export const REQUEST_ID_SYNTAX: RegExp = /^[A-Za-z0-9\-._~]+$/;

/** The bytes of an absent body. */
export const NO_BYTES: Uint8Array = new Uint8Array(0);

/**
 * Makes the error of a batch or of one of its operations that cannot be read.
 * @param place the part at fault, such as `Part 3`, or `The body`
 */
export function unreadable(place: string, problem: string): ODataError {
  return protocolError("InvalidBody", `${place} ${problem}`);
}

/** Counts the operations of a batch while it is read. */
export class OperationCount {
  readonly #most: number;
  #count = 0;

  /** @param most null for no limit */
  constructor(most: number | null) {
    this.#most = most ?? Infinity;
  }

  /** @throws ODataError `PayloadTooLarge` above the limit */
  add(): void {
    this.#count += 1;
    if (this.#count <= this.#most) return;
    throw protocolError(
      "PayloadTooLarge",
      `The batch has more than ${String(this.#most)} operations. Send several smaller batches.`,
    );
  }
}

/** Collects the ids of a batch, which must differ. */
export class BatchIds {
  readonly #ids = new Set<string>();

  /** @throws ODataError `InvalidBody` for an id that an earlier operation has */
  add(id: string, place: string): void {
    if (this.#ids.has(id)) {
      throw unreadable(place, `has the id ${JSON.stringify(id)} of an earlier one. Give each its own id.`);
    }
    this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}

/** The facts about an operation that are known before it is executed. */
export interface PlannedOperation {
  readonly writes: readonly PlannedWrite[];
  /** The path of an entity in the set in which the operation creates one, with a key that does not matter; otherwise null. */
  readonly created: string | null;
  /** The set in which the operation creates an entity that may be written together with others; otherwise null. */
  readonly gathered: EntitySetDefinition | null;
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
