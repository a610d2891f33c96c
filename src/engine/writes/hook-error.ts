import { isODataError, ODataError } from "../../base/errors/odata-error.ts";
import type { Context } from "../../definition/context.ts";
import { ServiceContext } from "../rules/row-access.ts";

/**
 * Returns the error of a hook. The error of a call of `ctx.sets` loses its targets: they name properties of the entity that the
 * call wrote, not of the body of the request.
 * @see docs/reference/handlers.md, Hooks
 */
export function errorOfHook(context: Context, error: unknown): unknown {
  if (!isODataError(error) || !ServiceContext.accessOf(context).hasFailed(error)) return error;
  if (error.target === undefined && error.details === undefined) return error;
  const { status, code, message, fault, headers, isUnsupported, mayLog, cause } = error;
  const details = error.details?.map(({ target: _target, ...each }) => each);
  return new ODataError(status, code, message, { details, fault, headers, isUnsupported, mayLog, cause });
}
