import { keptPerForeign } from "../../base/memo.ts";
import type { IncomingRequest } from "../../definition/context.ts";
import { isODataError, ODataError } from "../../errors/odata-error.ts";

/** The errors with which calls of `ctx.sets` ended during a request. */
const failuresOf = keptPerForeign((_request: IncomingRequest) => new WeakSet<ODataError>());

/** Notes the error of a call of `ctx.sets`. */
export function noteFailedCall(request: IncomingRequest, error: unknown): void {
  if (isODataError(error)) failuresOf(request).add(error);
}

/**
 * Returns the error of a hook. The error of a call of `ctx.sets` loses its targets: they name properties of the entity that the
 * call wrote, not of the body of the request.
 * @see docs/reference/handlers.md, Hooks
 */
export function errorOfHook(request: IncomingRequest, error: unknown): unknown {
  if (!isODataError(error) || !failuresOf(request).has(error)) return error;
  if (error.target === undefined && error.details === undefined) return error;
  const { status, code, message, headers, isUnsupported, mayLog, cause } = error;
  const details = error.details?.map((each) => ({ code: each.code, message: each.message }));
  return new ODataError(status, code, message, { details, headers, isUnsupported, mayLog, cause });
}
