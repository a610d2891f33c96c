import type { ServiceDefinition } from "../definition/service-definition.ts";
import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { ODATA_VERSION } from "../http/odata-version.ts";
import { writeError } from "../payload/write-error.ts";

const ERROR_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "OData-Version": ODATA_VERSION,
  "Content-Type": "application/json;odata.metadata=minimal",
  "Content-Language": "en",
  // An error belongs to one request: nobody should keep it for another.
  "Cache-Control": "no-store",
});

/** What `handleError` needs of a registration. */
export type ErrorScope = Pick<ServiceDefinition, "logger" | "challenge" | "profile">;

/**
 * Answers an error: one meant for the client by its status and envelope, any other by a generic 500, its message and
 * stack logged and never sent.
 * @see specification, Errors
 */
export function handleError(scope: ErrorScope, request: ODataRequest, error: unknown): ODataResponse {
  if (isODataError(error)) {
    if (error.status >= 500 && error.cause !== undefined) logError(scope, request, error);
    return errorResponse(scope, asProfiled(scope, error));
  }
  if (!isDisconnect(request, error)) logError(scope, request, error);
  return errorResponse(
    scope,
    protocolError("InternalServerError", "The service failed to answer this request. The failure has been logged."),
  );
}

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

/** Reports what no client may see. A logger that throws must not take the answer down with it. */
export function logError(scope: Pick<ErrorScope, "logger">, request: ODataRequest, error: unknown): void {
  try {
    scope.logger.error("A request failed.", { method: request.method, target: request.target, error });
  } catch {
    // There is nowhere left to report to.
  }
}

function errorResponse(scope: ErrorScope, error: ODataError): ODataResponse {
  const challenge = error.status === 401 ? { "WWW-Authenticate": scope.challenge } : undefined;
  return {
    status: error.status,
    headers: { ...ERROR_HEADERS, ...challenge, ...error.headers },
    body: writeError(error),
  };
}
