import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { payloadTooLarge, tooManyValues } from "./body-buffer.ts";
import type { ODataRequest } from "./odata-request.ts";

/** Bounds of one body; null for no limit. */
export interface BodyLimits {
  readonly maxBytes: number | null;
  /** Most arrays and objects within one another. */
  readonly maxDepth: number | null;
  /** Most objects, arrays, members and items together. */
  readonly maxValues: number | null;
}

/** A byte order mark is left to the parser, which takes one. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const BLANK = /^\ufeff?[ \t\r\n]*$/;

/**
 * Reads the body of a request as JSON, once: without loss, and bounded in bytes, depth and values while it is read.
 * @returns at once where the whole body is there already, else a promise
 * @throws ODataError `PayloadTooLarge`; `InvalidBody` for a body that is empty, cut off, not UTF-8 or not JSON, that
 * nests too deeply, or that has a member twice (whose path is the target)
 * @see specification, Cross-cutting request rules, 4 and 5
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
 * @param maxDepth most arrays and objects within one another
 * @param maxValues most objects, arrays and single values together
 * @throws ODataError `InvalidBody`, or `PayloadTooLarge` for more values
 */
export function parseBody(bytes: Uint8Array, maxDepth: number, maxValues: number = Infinity): JsonValue {
  const text = decode(bytes);
  try {
    return parseJson(text, { maxDepth, maxValues });
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (BLANK.test(text)) throw invalidBody("The body is empty: send a JSON object.");
    throw invalidBody(`The body cannot be read. ${error.message}`, error.path);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    // All but a byte that is not UTF-8 means that no text has so many characters.
    if (error instanceof TypeError) throw invalidBody("The body is not UTF-8: send JSON in UTF-8.");
    throw payloadTooLarge(bytes.length - 1);
  }
}

function invalidBody(message: string, target?: string): ODataError {
  return protocolError("InvalidBody", message, { target });
}
