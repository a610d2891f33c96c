import { nextTurn } from "../base/host.ts";
import { chain, type Maybe } from "../base/maybe.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { payloadTooLarge, tooManyValues } from "./body-buffer.ts";
import type { ODataRequest } from "./odata-request.ts";

/** The limits of one body; null for none. */
interface BodyLimits {
  readonly maxBytes: number | null;
  /** The deepest nesting of arrays and objects. */
  readonly maxDepth: number | null;
  /** The most objects, arrays, members and items together. */
  readonly maxValues: number | null;
}

/** A body without a value. */
const BLANK = /^\uFEFF?[\t\n\r ]*$/;

/** Keeps a byte order mark, which the parser accepts. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The most characters of a member name: the engine hashes a name in one call. */
const MAX_NAME_LENGTH = 1 << 23;

/** Other requests get a turn after the parsing of a body of more bytes. */
export const LONG_BODY: number = 1 << 18;

/**
 * Reads the body of a request as JSON, once and without loss. Checks the limits while it reads.
 * @returns a promise if the body has not fully arrived, or is long
 * @throws ODataError `PayloadTooLarge`; `InvalidBody` for a body that is empty, cut off, not UTF-8, not JSON or too deeply
 * nested, or that repeats a member (its path is the target)
 * @see docs/reference/limits.md
 */
export function readJsonBody(request: ODataRequest, { maxBytes, maxDepth, maxValues }: BodyLimits): Maybe<JsonValue> {
  return chain(request.readBody(maxBytes), (bytes) => {
    const value = parseBody(bytes, maxDepth ?? Infinity, maxValues ?? Infinity);
    return bytes.length > LONG_BODY ? nextTurn().then(() => value) : value;
  });
}

/**
 * Parses the bytes of a body as JSON, in about 10 milliseconds for each MiB.
 * @param maxDepth the deepest nesting of arrays and objects
 * @param maxValues the most objects, arrays and single values together
 * @throws ODataError `InvalidBody`, or `PayloadTooLarge` for too many values
 */
export function parseBody(bytes: Uint8Array, maxDepth: number, maxValues: number = Infinity): JsonValue {
  const text = decode(bytes);
  try {
    return parseJson(text, { maxDepth, maxValues, maxNameLength: MAX_NAME_LENGTH });
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (error.isAtEnd && BLANK.test(text)) throw invalidBody("The body is empty. Send a JSON object.");
    throw invalidBody(`The body cannot be read. ${error.message}`, error.path);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw invalidBody("The body is not UTF-8. Send JSON in UTF-8.");
    // A string cannot have so many characters.
    throw payloadTooLarge(bytes.length - 1);
  }
}

function invalidBody(message: string, target?: string): ODataError {
  return protocolError("InvalidBody", message, { target });
}
