import type { Logger } from "../definition/logger.ts";
import { type FieldsScope, requestFields } from "../definition/request-fields.ts";
import { driverFields } from "../errors/driver-fields.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { REQUEST_ID } from "./finish-response.ts";

/** What the log needs of a registration. */
export interface LogScope extends FieldsScope {
  readonly logger: Logger;
}

/** A request that failed, and the response that the client gets. */
export interface FailedRequest {
  readonly request: ODataRequest;
  readonly id: string;
  readonly status: number;
}

/**
 * Logs a failure that the client must not see. A logger that throws does not change the response.
 * @see docs/reference/services.md, Log failures
 */
export function logFailure(scope: LogScope, message: string, failed: FailedRequest, err: unknown): void {
  const { request, id, status } = failed;
  try {
    const { path } = splitTarget(request.target);
    const place = requestFields(scope, { id, method: request.method, path });
    scope.logger.error(message, { ...place, status, ...driverFields(err), err });
  } catch {
    // There is nowhere left to report to.
  }
}

/** Logs a failure behind the head of a response: the client sees only that the response breaks off. */
export function logBrokenResponse(
  scope: LogScope,
  request: ODataRequest,
  { status, headers }: ODataResponse,
  err: unknown,
): void {
  logFailure(scope, "A response broke off.", { request, id: headers[REQUEST_ID] ?? "", status }, err);
}
