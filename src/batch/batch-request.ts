import type { ODataError } from "../errors/odata-error.ts";

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
