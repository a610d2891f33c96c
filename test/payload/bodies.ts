import { ODataError } from "../../src/base/errors/odata-error.ts";
import { parseJson } from "../../src/base/json/parse-json.ts";
import type { JsonValue } from "../../src/base/json/write-json.ts";

/** Parses a JSON text, or the JSON of any other value. */
export function json(body: unknown): JsonValue {
  return parseJson(typeof body === "string" ? body : JSON.stringify(body), { maxDepth: Infinity });
}

/** Returns the error of a read. */
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
