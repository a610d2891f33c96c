import type { ODataError } from "../errors/odata-error.ts";

/** Most characters of a target: more than any name that is right can have. */
const MAX_TARGET_LENGTH = 200;

/**
 * The body of an error response: code, message and, when a name is at fault, target. Never a cause or a stack. A
 * target that a client made up is cut where no declared name could be as long.
 * @see OData JSON Format 4.0, section 19; specification, section Errors
 */
export function writeError(error: ODataError): string {
  const { code, message } = error;
  const target = error.target?.slice(0, MAX_TARGET_LENGTH) ?? "";
  // Blanks, which a client may have used as a name, point at nothing.
  return JSON.stringify({ error: target.trim() === "" ? { code, message } : { code, message, target } });
}
