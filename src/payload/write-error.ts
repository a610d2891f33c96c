import type { ODataError } from "../errors/odata-error.ts";

/**
 * The body of an error response: code, message and, when a name is at fault, target. Never a cause or a stack.
 * @see OData JSON Format 4.0, section 19; specification, section Errors
 */
export function writeError(error: ODataError): string {
  const { code, message, target } = error;
  return JSON.stringify({ error: target === undefined ? { code, message } : { code, message, target } });
}
