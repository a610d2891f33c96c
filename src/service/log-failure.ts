import type { Logger } from "../definition/logger.ts";
import type { Model } from "../edm/model.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { driverFields } from "./driver-fields.ts";
import { REQUEST_ID } from "./finish-response.ts";

/** What the log needs of a registration. Without a model no entity set is known. */
export interface LogScope {
  readonly logger: Logger;
  readonly prefix?: string;
  readonly model?: Model;
}

/** A request that failed, and the response that the client gets. */
export interface FailedRequest {
  readonly request: ODataRequest;
  readonly id: string;
  readonly status: number;
}

/**
 * Logs a failure that the client must not see. A logger that throws does not change the response.
 * The query of the URL stays out of the log, because filters hold the data of users.
 * @see docs/hosting.md, Logging
 */
export function logFailure(scope: LogScope, message: string, failed: FailedRequest, err: unknown): void {
  const { request, id, status } = failed;
  try {
    const { path } = splitTarget(request.target);
    const set = entitySetAt(path, scope);
    const place = { requestId: id, method: request.method, path, status, ...(set === undefined ? {} : { set }) };
    scope.logger.error(message, { ...place, ...driverFields(err), err });
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

/** The entity set that a path begins with; undefined where it begins with none. */
function entitySetAt(path: string, { prefix = "", model }: LogScope): string | undefined {
  try {
    const name = parseResourcePath(path.slice(prefix.length))[0]?.name ?? "";
    return model?.entityContainer.entitySets.has(name) === true ? name : undefined;
  } catch {
    // The path is not one that the service can read.
    return undefined;
  }
}
