import type { ServiceDefinition } from "../definition/service-definition.ts";
import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { ODATA_VERSION } from "../http/odata-version.ts";
import { writeError } from "../payload/write-error.ts";
import { type LogScope, logFailure } from "./log-failure.ts";

const ERROR_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "OData-Version": ODATA_VERSION,
  "Content-Type": "application/json;odata.metadata=minimal",
  "Content-Language": "en",
  // An error belongs to one request: nobody should keep it for another.
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
});

/** What `handleError` needs of a registration. */
export type ErrorScope = LogScope & Pick<ServiceDefinition, "challenge" | "profile">;

/**
 * Turns an error into a response. An `ODataError` becomes its status and envelope. Any other error becomes a generic
 * 500, and its message and stack go to the log only.
 * @param id the id of the request
 * @see specification, Errors
 */
export function handleError(scope: ErrorScope, request: ODataRequest, id: string, error: unknown): ODataResponse {
  const isIntended = isODataError(error);
  const answer = isIntended ? asProfiled(scope, error) : protocolError("InternalServerError", INTERNAL_ERROR);
  const isLogged = isIntended ? error.status >= 500 && error.cause !== undefined : !isDisconnect(request, error);
  if (isLogged) logFailure(scope, "A request failed.", { request, id, status: answer.status }, error);
  return errorResponse(scope, answer);
}

const INTERNAL_ERROR = "The service failed to answer this request. The failure has been logged.";

/** Gives the error of a valid request that is not supported the code that the profile has for all of them. */
function asProfiled({ profile }: ErrorScope, error: ODataError): ODataError {
  const { unsupportedCode } = profile;
  if (unsupportedCode === null || !error.isUnsupported) return error;
  return protocolError(unsupportedCode, error.message, { target: error.target, headers: error.headers });
}

/** Whether a handler or a database stopped because the client is gone: that is no failure, and nobody reads the answer. */
function isDisconnect({ signal }: ODataRequest, error: unknown): boolean {
  if (!signal.aborted) return false;
  return Object.is(error, signal.reason) || (error instanceof Error && error.name === "AbortError");
}

function errorResponse(scope: ErrorScope, error: ODataError): ODataResponse {
  const challenge = error.status === 401 ? { "WWW-Authenticate": scope.challenge } : undefined;
  return {
    status: error.status,
    headers: { ...ERROR_HEADERS, ...challenge, ...error.headers },
    body: writeError(error),
  };
}
