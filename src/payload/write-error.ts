import type { ODataError } from "../errors/odata-error.ts";

/** Maximum length of a target: more than any declared name has. */
const MAX_TARGET_LENGTH = 200;

/**
 * Writes the body of an error response: code, message and, if a name is at fault, target. It never contains a cause or a
 * stack. An overlong target, which cannot be a declared name, is truncated.
 * @see OData JSON Format 4.0, section 19
 */
export function writeError(error: ODataError): string {
  const { code, message } = error;
  const target = error.target?.slice(0, MAX_TARGET_LENGTH) ?? "";
  // A target of blanks, which a client may send as a name, is useless.
  return JSON.stringify({ error: target.trim() === "" ? { code, message } : { code, message, target } });
}
