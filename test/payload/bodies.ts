import { ODataError } from "../../src/errors/odata-error.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { parseJson } from "../../src/json/parse-json.ts";

/** The parsed value of a JSON text, or of what `JSON.stringify` makes of anything else. */
export function json(body: unknown): JsonValue {
  return parseJson(typeof body === "string" ? body : JSON.stringify(body), { maxDepth: Infinity });
}

/** The error that a read ends in. */
export function fault(read: () => unknown): Pick<ODataError, "status" | "code" | "target" | "message"> {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    const { status, code, target, message } = error;
    return { status, code, target, message };
  }
  throw new Error("The body was accepted.");
}
