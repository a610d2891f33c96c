import { nextTurn } from "../base/host.ts";
import { chain, isPromiseLike, type Maybe } from "../base/maybe.ts";
import { inTurns, type Pace, type Steps } from "../base/turn.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { JsonParse, type ParseJsonOptions } from "../json/parse-json.ts";
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

/** The number of bytes that are decoded in one step. */
const DECODED_BYTES = 1 << 18;

/** The characters that are parsed between two readings of the clock: parts of a long string are too large to be moved by V8. */
const PARSED_LENGTH = 1 << 17;

/** The most characters of a member name: the engine hashes a name in one call. */
const MAX_NAME_LENGTH = 1 << 23;

/**
 * Reads the body of a request as JSON, once and without loss. Checks the limits while it reads. Pauses for other requests
 * while it reads a large body.
 * @returns a promise if the body has not fully arrived, or is large
 * @throws ODataError `PayloadTooLarge`; `InvalidBody` for a body that is empty, cut off, not UTF-8, not JSON or too deeply
 * nested, or that repeats a member (its path is the target)
 * @see docs/reference/limits.md
 */
export function readJsonBody(request: ODataRequest, { maxBytes, maxDepth, maxValues }: BodyLimits): Maybe<JsonValue> {
  return chain(request.readBody(maxBytes), (bytes) => parseBody(bytes, maxDepth ?? Infinity, maxValues ?? Infinity));
}

/**
 * Parses the bytes of a body as JSON. Pauses for other requests while it parses a large body.
 * @param maxDepth the deepest nesting of arrays and objects
 * @param maxValues the most objects, arrays and single values together
 * @throws ODataError `InvalidBody`, or `PayloadTooLarge` for too many values
 */
export function parseBody(bytes: Uint8Array, maxDepth: number, maxValues: number = Infinity): Maybe<JsonValue> {
  const limits = { maxDepth, maxValues, maxNameLength: MAX_NAME_LENGTH };
  const parsed = inTurns((pace) => parseInSteps(bytes, limits, pace));
  return isPromiseLike(parsed) ? inNewTurn(parsed) : parsed;
}

/** Lets the work after a long one begin in a new turn. */
async function inNewTurn<T>(work: PromiseLike<T>): Promise<T> {
  const result = await work;
  await nextTurn();
  return result;
}

function* parseInSteps(bytes: Uint8Array, limits: ParseJsonOptions, pace: Pace): Steps<JsonValue> {
  let end = partEnd(bytes, 0);
  const parse = new JsonParse(decodePart(bytes.subarray(0, end)), limits, end === bytes.length);
  while (!parseStep(parse, bytes)) {
    if (pace.isOver || parse.isNextLong) yield;
    if (!parse.needsText) continue;
    const start = end;
    end = partEnd(bytes, start);
    parse.append(decodePart(bytes.subarray(start, end)), end === bytes.length);
  }
  return parse.value;
}

/** Parses some characters. Returns whether the text is complete. */
function parseStep(parse: JsonParse, bytes: Uint8Array): boolean {
  try {
    return parse.next(PARSED_LENGTH);
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues(error.message);
    // A string cannot have so many characters.
    if (error instanceof RangeError) throw payloadTooLarge(bytes.length - 1);
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (parse.isBlank && error.isAtEnd) throw invalidBody("The body is empty. Send a JSON object.");
    throw invalidBody(`The body cannot be read. ${error.message}`, error.path);
  }
}

/** Returns the end of the part that begins at an offset. It divides no character. */
function partEnd(bytes: Uint8Array, start: number): number {
  const end = start + DECODED_BYTES;
  return end >= bytes.length ? bytes.length : characterStart(bytes, end);
}

/** Returns the offset of the character that contains an offset. A character has at most four bytes. */
function characterStart(bytes: Uint8Array, offset: number): number {
  let start = offset;
  while (start > offset - 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

function decodePart(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidBody("The body is not UTF-8. Send JSON in UTF-8.");
  }
}

function invalidBody(message: string, target?: string): ODataError {
  return protocolError("InvalidBody", message, { target });
}
