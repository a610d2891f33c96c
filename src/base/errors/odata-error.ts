import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";
import type { Fault, FaultParameters } from "./fault.ts";

/** The options of an error. */
interface ODataErrorOptions {
  /** The option, property, parameter or header at fault. */
  readonly target?: string | undefined;
  /** The single faults, if the error reports several. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The kind of the fault, for texts in other languages; absent: the code of the error, without parameters. */
  readonly fault?: Fault | undefined;
  /** The cause, which is logged but never sent. */
  readonly cause?: unknown;
  /** Response headers that belong to the status, such as Allow or WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the standard allows the request and only this service does not support it; absent: false. */
  readonly isUnsupported?: boolean | undefined;
  /** Returns whether the log needs the error, once for each state that causes it; absent: always. */
  readonly mayLog?: (() => boolean) | undefined;
}

/** One of the faults that an error reports. */
export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string | undefined;
  /** The kind of the fault; absent: the code, without parameters. */
  readonly fault?: Fault | undefined;
}

/**
 * The error class of the framework. Its status, code, message and target are sent to the client. Any other error is a
 * programming error: it is logged, and the client receives a generic 500.
 * @see docs/reference/errors.md
 */
export class ODataError extends Error {
  override readonly name = "ODataError";
  readonly status: number;
  readonly code: string;
  readonly target: string | undefined;
  /** The single faults, if the error reports several. */
  readonly details: readonly ErrorDetail[] | undefined;
  /** The kind of the fault, such as a facet with its limit; undefined: the code of the error, without parameters. */
  readonly fault: Fault | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether the standard allows the request and only this service does not support it. */
  readonly isUnsupported: boolean;
  /** Returns whether the log needs the error, once for each state that causes it; absent: always. */
  readonly mayLog: (() => boolean) | undefined;

  constructor(status: number, code: string, message: string, options: ODataErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.target = options.target;
    this.details = options.details;
    this.fault = options.fault;
    this.headers = options.headers;
    this.isUnsupported = options.isUnsupported === true;
    this.mayLog = options.mayLog;
  }
}

/**
 * Makes an error of the framework with the status of its code. `UnsupportedQueryOption` means a valid request by default.
 * @param message the fault, its place and its correction
 * @see docs/reference/errors.md
 */
export function protocolError(code: ErrorCode, message: string, options: ODataErrorOptions = {}): ODataError {
  const { isUnsupported = code === "UnsupportedQueryOption" } = options;
  return new ODataError(ERROR_CODES[code], code, message, { ...options, isUnsupported });
}

/**
 * Makes an error that a handler returns or throws to report a failure to the client.
 * @param status an HTTP status of 400 to 599
 * @param code a short code of the application, such as `DuplicateName`
 * @param message the text for the client
 * @param options the name at fault as `target`, response headers such as `Retry-After`, and `parameters`, which `messages` of the
 *   service gets
 * @throws RangeError if the status is not an integer of 400 to 599
 * @see docs/reference/errors.md
 */
export function odataError(
  status: number,
  code: string,
  message: string,
  options: Pick<ODataErrorOptions, "headers" | "target"> & { readonly parameters?: FaultParameters | undefined } = {},
): ODataError {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`odataError: status must be an integer of 400 to 599, not ${String(status)}.`);
  }
  const { parameters, ...others } = options;
  const fault = parameters === undefined ? undefined : { code, parameters };
  return new ODataError(status, code, message, { ...others, fault });
}

/**
 * Makes the error of a body with several faults; returns a single fault as it is.
 * @param faults at least one
 */
export function joinFaults(faults: readonly ODataError[], code: ErrorCode = "InvalidBody"): ODataError {
  const [only] = faults;
  if (only !== undefined && faults.length === 1) return only;
  const details = faults.slice(0, MAX_FAULTS).map(({ code: own, message, target, fault }): ErrorDetail => {
    return { code: own, message, target, fault };
  });
  const most = String(MAX_FAULTS);
  const message =
    faults.length < MAX_FAULTS
      ? `The body has ${String(faults.length)} faults. 'details' lists them.`
      : `The body has ${most} faults or more. 'details' lists the first ${most}.`;
  return protocolError(code, message, { details });
}

/** The most faults of a body that a response lists. @see docs/reference/limits.md */
export const MAX_FAULTS = 100;

/** Returns whether a value that a handler returned or threw is an error for the client. */
export function isODataError(value: unknown): value is ODataError {
  return value instanceof ODataError;
}

/**
 * Makes the error of an execution whose lambda operators inspect too many items. A nested lambda operator runs for each
 * item of the outer one, so the work grows exponentially with the nesting. Each executor limits it to about a second.
 * @param most maximum number of items in one execution
 * @see docs/reference/limits.md
 */
export function tooManyItems(most: number): ODataError {
  const message = `'any' and 'all' inspect more than ${String(most)} items: start the filter, and each outer predicate, with a condition that few items meet.`;
  return protocolError("InvalidQueryOption", message);
}

/**
 * Makes the error of a row in memory for which lambda operators inspect too many items.
 * @param most the budget of one row
 * @see docs/reference/limits.md, Items of any and all
 */
export function tooManyRowItems(most: number): ODataError {
  const message = `'any' and 'all' inspect more than ${String(most)} items for one entity: start each predicate with a condition that few items meet.`;
  return protocolError("InvalidQueryOption", message);
}

/**
 * Makes the error of a row in memory whose functions read too much text.
 * @param most the characters
 * @see docs/reference/limits.md, Computed texts
 */
export function tooLongRowTexts(most: number): ODataError {
  const message = `The functions of the query read more than ${String(most)} characters of one entity: call fewer functions of long texts.`;
  return protocolError("InvalidQueryOption", message);
}

/**
 * Makes the error of a text that would be too long beside the others of its entity.
 * @param most the bytes that they may have together
 * @see docs/reference/limits.md, Computed texts
 */
export function tooLongText(most: number): ODataError {
  const message = `The texts that a query computes from one entity have at most ${String(most)} bytes, and each function an equal share: call fewer functions, or combine shorter texts.`;
  return protocolError("InvalidQueryOption", message);
}

/**
 * Makes the error of sort keys that take too much memory together.
 * @param most the characters that they may have
 * @see docs/reference/limits.md
 */
export function tooLongKeys(most: number): ODataError {
  const message = `The texts that $orderby computes have more than ${String(most)} characters together: order by a property, or filter by a condition that fewer entities meet.`;
  return protocolError("InvalidQueryOption", message);
}

/**
 * Makes the error of a query that the database does not finish in time.
 * @param timeout in milliseconds; null for a limit of the database itself
 * @see docs/reference/limits.md
 */
export function queryTimeout(timeout: number | null, cause?: unknown): ODataError {
  const time = timeout === null ? "too long" : `more than ${String(timeout / 1000)} s`;
  const message = `The query takes the database ${time}. Filter by a property with an index, request fewer rows with $top, or leave out counts, searches and orders along navigations.`;
  return protocolError("QueryTimeout", message, { cause });
}

const NO_FREE_CONNECTION =
  "All connections to the database are in use, and none became free within the queryTimeout of the request. Try again later, or let the service open more connections.";

/** Makes the error of a query that gets no connection in its time. */
export function noFreeConnection(): ODataError {
  return protocolError("QueryTimeout", NO_FREE_CONNECTION, { headers: { "Retry-After": "1" } });
}

/** Whether an error is that of a query which the database does not finish in time. */
export function isSlowQuery(error: unknown): boolean {
  return isODataError(error) && error.code === "QueryTimeout" && error.message !== NO_FREE_CONNECTION;
}

/**
 * Makes the error of a query for which the database of this process needs too much memory.
 * @see docs/reference/limits.md
 */
export function tooMuchMemory(): ODataError {
  const message =
    "The query takes too much memory. Filter by a property with an index, request fewer rows with $top, or call fewer functions in $filter and $orderby.";
  return protocolError("InvalidQueryOption", message);
}

/** Makes the error of a request that waits too long for its share of `maxHeldBytes`. */
export function tooManyHeld(cause?: unknown): ODataError {
  const message = "Other responses hold as many bytes as maxHeldBytes allows. Try again later.";
  return protocolError("ServiceUnavailable", message, { cause, headers: { "Retry-After": "1" } });
}

/**
 * Makes the error of a response with more bytes than `maxResponseBytes`, where no next link is possible.
 * @param what the name of the part that is too large
 * @see docs/reference/limits.md
 */
export function tooManyBytes(what: string): ODataError {
  const message = `${what} would exceed maxResponseBytes, which limits a response, and those of a batch together: request fewer properties with $select, fewer entities with $filter and $top, or fewer expansions.`;
  return protocolError("InvalidQueryOption", message);
}
