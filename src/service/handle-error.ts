import { driverFields } from "../base/errors/driver-fields.ts";
import { type ErrorDetail, isODataError, ODataError, protocolError } from "../base/errors/odata-error.ts";
import type { Logger } from "../definition/logger.ts";
import { type FieldsScope, requestFields } from "../definition/model/request-fields.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import { ODATA_VERSION } from "../http/base-url.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import { writeError } from "../payload/write-error.ts";
import { REQUEST_ID } from "./answer-request.ts";
import { translateError } from "./translate-error.ts";

/** Empty for texts in an unknown language. */
const LANGUAGE = "Content-Language";

const ERROR_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "OData-Version": ODATA_VERSION,
  "Content-Type": "application/json;odata.metadata=minimal",
  [LANGUAGE]: "en",
  // An error belongs to one request, so caches must not reuse it.
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
});

/** The parts of a registration that `handleError` uses. */
export type ErrorScope = LogScope &
  Pick<ServiceDefinition, "challenge" | "explainError" | "messages" | "profile"> &
  Partial<Pick<ServiceDefinition, "model">>;

/**
 * Turns an error into a response: an `ODataError` into its status and envelope, any other error into a generic 500. The
 * message and stack of other errors appear only in the log.
 * @param id the id of the request
 * @param contentId the Content-ID of the operation that failed in a change set; undefined otherwise
 * @see docs/reference/errors.md
 */
export function handleError(
  scope: ErrorScope,
  request: ODataRequest,
  id: string,
  error: unknown,
  contentId?: string,
): ODataResponse {
  const isIntended = isODataError(error);
  const answer = isIntended ? (explainedLimit(scope, error) ?? asProfiled(scope, error)) : explained(scope, error);
  const isLogged = isIntended
    ? error.status >= 500 && error.cause !== undefined && error.mayLog?.() !== false
    : !isDisconnect(request, error);
  if (isLogged) logFailure(scope, "A request failed.", { request, id, status: answer.status }, error);
  return errorResponse(scope, translated(scope, request, id, answer), contentId);
}

/** Returns an error with the texts of the application, if it has any. */
function translated(scope: ErrorScope, request: ODataRequest, id: string, error: ODataError): ODataError {
  const { messages } = scope;
  if (messages === undefined) return error;
  return translateError(error, messages, request.header("accept-language") ?? "", (err) => {
    logFailure(scope, "messages failed.", { request, id, status: error.status }, err);
  });
}

const INTERNAL_ERROR = "The service failed to answer this request. The failure has been logged.";

/** An error of the application about another error must not replace the response. */
function explained({ explainError }: ErrorScope, error: unknown): ODataError {
  const generic = protocolError("InternalServerError", INTERNAL_ERROR);
  try {
    const answer: unknown = explainError?.(error);
    return isODataError(answer) ? answer : generic;
  } catch {
    return generic;
  }
}

/** Returns the explanation of the program that sets the limit of bodies: it may name who can raise the limit. */
function explainedLimit({ explainError }: ErrorScope, error: ODataError): ODataError | undefined {
  if (error.code !== "PayloadTooLarge") return undefined;
  try {
    const answer: unknown = explainError?.(error);
    return isODataError(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Replaces the code of an unsupported request, if the profile has one code for all unsupported requests, and the forms of
 * targets and messages, if the profile has its own.
 */
function asProfiled({ profile }: ErrorScope, error: ODataError): ODataError {
  const { unsupportedCode, findsEveryFault } = profile;
  if (unsupportedCode !== null && error.isUnsupported) {
    const { target, headers, fault } = error;
    return protocolError(unsupportedCode, error.message, { target, headers, fault });
  }
  if (!findsEveryFault) return error;
  const { status, headers, mayLog } = error;
  const { code, message, target, fault } = besideTarget(error);
  const details = error.details?.map(besideTarget);
  return new ODataError(status, code, message, { target, details, fault, headers, mayLog, cause: error.cause });
}

/** The position of an item in a path, such as that in `Lines/0/Qty`. No name begins with a digit. */
const ITEM = /\/(\d+)(?=\/|$)/g;
const IS_NULL = " must not be null";

/** Returns a fault with a target as in `Lines(0)/Qty`, and with a message that does not begin with it. */
function besideTarget({ code, message, target, fault }: ErrorDetail): ErrorDetail {
  if (target === undefined) return { code, message, fault };
  const keyed = target.replaceAll(ITEM, "($1)");
  const rest = message.startsWith(target) ? message.slice(target.length) : "";
  if (rest.startsWith(": ")) return { code, message: rest.slice(2), target: keyed, fault };
  return { code, message: rest.startsWith(IS_NULL) ? `This value${rest}` : message, target: keyed, fault };
}

/** Returns whether a handler or a database stopped because the client disconnected, which is not a failure. */
function isDisconnect({ signal }: ODataRequest, error: unknown): boolean {
  if (!signal.aborted) return false;
  return Object.is(error, signal.reason) || (error instanceof Error && error.name === "AbortError");
}

function errorResponse(scope: ErrorScope, error: ODataError, contentId: string | undefined): ODataResponse {
  const challenge = error.status === 401 ? { "WWW-Authenticate": scope.challenge } : undefined;
  const headers: Readonly<Record<string, string>> = { ...ERROR_HEADERS, ...challenge, ...error.headers };
  const { [LANGUAGE]: language = "", ...others } = headers;
  return {
    status: error.status,
    headers: language === "" ? others : headers,
    body: writeError(error, contentId, scope.model?.annotations?.vocabularies),
  };
}

/** The parts of a registration that the log uses. */
interface LogScope extends FieldsScope {
  readonly logger: Logger;
}

/** A failed request and the status of its response. */
interface FailedRequest {
  readonly request: ODataRequest;
  readonly id: string;
  readonly status: number;
}

/**
 * Logs a failure that the client must not see. A logger that throws does not change the response.
 * @see docs/reference/services.md, Log failures
 */
function logFailure(scope: LogScope, message: string, failed: FailedRequest, err: unknown): void {
  const { request, id, status } = failed;
  try {
    const { path } = splitTarget(request.target);
    const place = requestFields(scope, { id, method: request.method, path });
    scope.logger.error(message, { ...place, status, ...driverFields(err), err });
  } catch {
    // A logger that throws leaves nowhere to report to.
  }
}

/** Logs a failure after the start of a response: the client only sees that the response breaks off. */
export function logBrokenResponse(
  scope: LogScope,
  request: ODataRequest,
  { status, headers: { [REQUEST_ID]: id = "" } }: ODataResponse,
  err: unknown,
): void {
  logFailure(scope, "A response broke off.", { request, id, status }, err);
}
