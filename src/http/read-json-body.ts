import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-scanner.ts";
import type { JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { payloadTooLarge, tooManyValues } from "./body-buffer.ts";
import type { ODataRequest } from "./odata-request.ts";

/** The limits of one body; null for none. */
export interface BodyLimits {
  readonly maxBytes: number | null;
  /** The deepest nesting of arrays and objects. */
  readonly maxDepth: number | null;
  /** The most objects, arrays, members and items together. */
  readonly maxValues: number | null;
}

/** Keeps a byte order mark, which the parser accepts. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const BLANK = /^\ufeff?[ \t\r\n]*$/;

/**
 * Reads the body of a request as JSON, once and without loss. Checks the limits while it reads.
 * @returns a promise if the body has not fully arrived
 * @throws ODataError `PayloadTooLarge`; `InvalidBody` for a body that is empty, cut off, not UTF-8, not JSON or too deeply
 * nested, or that repeats a member (its path is the target)
 * @see docs/reference/limits.md
 */
export function readJsonBody(
  request: ODataRequest,
  { maxBytes, maxDepth, maxValues }: BodyLimits,
): JsonValue | Promise<JsonValue> {
  const [depth, values] = [maxDepth ?? Infinity, maxValues ?? Infinity];
  const bytes = request.readBody(maxBytes);
  if (bytes instanceof Promise) return bytes.then((ready) => parseBody(ready, depth, values));
  return parseBody(bytes, depth, values);
}

/**
 * Parses the bytes of a body as JSON.
 * @param maxDepth the deepest nesting of arrays and objects
 * @param maxValues the most objects, arrays and single values together
 * @throws ODataError `InvalidBody`, or `PayloadTooLarge` for too many values
 */
export function parseBody(bytes: Uint8Array, maxDepth: number, maxValues: number = Infinity): JsonValue {
  const text = decode(bytes);
  try {
    return parseJson(text, { maxDepth, maxValues });
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (BLANK.test(text)) throw invalidBody("The body is empty. Send a JSON object.");
    throw invalidBody(`The body cannot be read. ${error.message}`, error.path);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    // Any other error means that a string cannot have so many characters.
    if (error instanceof TypeError) throw invalidBody("The body is not UTF-8. Send JSON in UTF-8.");
    throw payloadTooLarge(bytes.length - 1);
  }
}

function invalidBody(message: string, target?: string): ODataError {
  return protocolError("InvalidBody", message, { target });
}
