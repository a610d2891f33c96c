import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

/** What an error may carry beside its code and message. */
export interface ODataErrorOptions {
  /** The option, property, parameter or header at fault. */
  readonly target?: string | undefined;
  /** The error behind this one; logged, never sent. */
  readonly cause?: unknown;
  /** Response headers that belong to the status, such as Allow or WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the standard allows the request, so that the fault is not the client's; absent: false. */
  readonly isUnsupported?: boolean | undefined;
}

/**
 * The one error class of the framework: an error whose status, code, message and target go to the client.
 * Anything else that is thrown is a programmer's fault: logged, and answered by a generic 500.
 * @see specification, section Errors
 */
export class ODataError extends Error {
  override readonly name = "ODataError";
  readonly status: number;
  readonly code: string;
  readonly target: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether the standard allows the request, and only this service does not support it. */
  readonly isUnsupported: boolean;

  constructor(status: number, code: string, message: string, options: ODataErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.target = options.target;
    this.headers = options.headers;
    this.isUnsupported = options.isUnsupported === true;
  }
}

/**
 * Makes an error of the framework's own table; the status comes from the table. `UnsupportedQueryOption` stands for a
 * valid request unless its options say otherwise.
 * @param code a code of ERROR_CODES
 * @param message what was wrong, where, and what would be right
 * @see docs/reference/errors.md
 */
export function protocolError(code: ErrorCode, message: string, options: ODataErrorOptions = {}): ODataError {
  const { isUnsupported = code === "UnsupportedQueryOption" } = options;
  return new ODataError(ERROR_CODES[code], code, message, { ...options, isUnsupported });
}

/**
 * Makes the error that a handler returns (or throws) to answer an intended failure.
 * @param status an HTTP status of 400 to 599
 * @param code a short code of the application's own, such as `DuplicateName`
 * @param message what the client should read
 * @throws RangeError when the status is not an integer of 400 to 599
 * @see specification, section Errors (last sentence)
 */
export function odataError(
  status: number,
  code: string,
  message: string,
  options?: { readonly target?: string },
): ODataError {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`odataError: status must be an integer of 400 to 599, not ${String(status)}.`);
  }
  return new ODataError(status, code, message, options);
}

/** Tells whether a value that a handler returned or threw is an error meant for the client. */
export function isODataError(value: unknown): value is ODataError {
  return value instanceof ODataError;
}
