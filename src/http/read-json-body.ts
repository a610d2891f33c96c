import { nextTurn } from "../base/host.ts";
import { chain, type Maybe } from "../base/maybe.ts";
import { Turn } from "../base/turn.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { JsonParse } from "../json/parse-json.ts";
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
const DECODED_BYTES = 1 << 20;

/** The number of characters that are parsed between two readings of the clock. */
const PARSED_LENGTH = 1 << 16;

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
  return chain(decode(bytes), (text) => parseInTurns(new JsonParse(text, { maxDepth, maxValues })));
}

function parseInTurns(parse: JsonParse): Maybe<JsonValue> {
  return parseTurn(parse) ? parse.value : parseRest(parse);
}

async function parseRest(parse: JsonParse): Promise<JsonValue> {
  do await nextTurn();
  while (!parseTurn(parse));
  // The following work begins in a new turn.
  await nextTurn();
  return parse.value;
}

/** Parses until the turn is over. Returns whether the text is complete. */
function parseTurn(parse: JsonParse): boolean {
  const turn = new Turn();
  try {
    do {
      if (parse.next(PARSED_LENGTH)) return true;
    } while (!turn.isOver);
    return false;
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (parse.isBlank && error.isAtEnd) throw invalidBody("The body is empty. Send a JSON object.");
    throw invalidBody(`The body cannot be read. ${error.message}`, error.path);
  }
}

function decode(bytes: Uint8Array): Maybe<string> {
  return bytes.length <= DECODED_BYTES ? decodePart(bytes) : decodeInTurns(bytes);
}

async function decodeInTurns(bytes: Uint8Array): Promise<string> {
  const parts: string[] = [];
  let turn = new Turn();
  for (let start = 0; start < bytes.length;) {
    const end = characterStart(bytes, start + DECODED_BYTES);
    parts.push(decodePart(bytes.subarray(start, end)));
    start = end;
    if (!turn.isOver) continue;
    await nextTurn();
    turn = new Turn();
  }
  try {
    return parts.join("");
  } catch {
    // A string cannot have so many characters.
    throw payloadTooLarge(bytes.length - 1);
  }
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
