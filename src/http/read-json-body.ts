import { protocolError, type ODataError, isODataError } from "../base/errors/odata-error.ts";
import { nextTurn } from "../base/host.ts";
import { JsonLimitError, JsonSyntaxError } from "../base/json/json-errors.ts";
import { parseJson } from "../base/json/parse-json.ts";
import type { JsonValue } from "../base/json/write-json.ts";
import { chain, type Maybe } from "../base/maybe.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";
import type { ODataRequest } from "./odata-request.ts";

/** The limits of one body; null for none. */
interface BodyLimits {
  readonly maxBytes: number | null;
  /** The deepest nesting of arrays and objects. */
  readonly maxDepth: number | null;
  /** The most objects, arrays, members and items together. */
  readonly maxValues: number | null;
  /** Whether a body without a value counts as `{}`; absent: it is refused. */
  readonly mayBeAbsent?: boolean;
}

/** A body without a value. */
const BLANK = /^\uFEFF?[\t\n\r ]*$/;
/** The bytes of `{}`. */
const EMPTY_OBJECT = Uint8Array.of(0x7b, 0x7d);

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
export function readJsonBody(
  request: ODataRequest,
  { maxBytes, maxDepth, maxValues, mayBeAbsent }: BodyLimits,
): Maybe<JsonValue> {
  return chain(request.readBody(maxBytes), (bytes) => {
    const isAbsent = mayBeAbsent === true && bytes.length < SMALL_BLOCK && BLANK.test(decode(bytes));
    const value = parseBody(isAbsent ? EMPTY_OBJECT : bytes, maxDepth ?? Infinity, maxValues ?? Infinity);
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

/** The length of the longest string in JavaScript: the limit where the application sets none. */
const MAX_TEXT_BYTES: number = 2 ** 29 - 24;

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** The bytes of a block of small chunks, in a short and in a long body. */
const SMALL_BLOCK = 16_384;
const LARGE_BLOCK = 65_536;

/**
 * Gathers the chunks of one body. Large chunks stay where they are, small ones are copied into blocks, and all are joined once
 * at the end. It needs at most twice the memory of the bytes received, apart from one block.
 * @see docs/reference/limits.md
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #announced: number | undefined;
  #parts: Uint8Array[] = [];
  /** The small chunks after the parts. */
  #block: Uint8Array = NO_BYTES;
  #used = 0;
  #length = 0;

  /**
   * @param maxBytes the most bytes to accept; null for no limit
   * @param announced the value of Content-Length; undefined if absent
   */
  constructor(maxBytes: number | null, announced: number | undefined) {
    this.#maxBytes = Math.min(maxBytes ?? MAX_TEXT_BYTES, MAX_TEXT_BYTES);
    this.#announced = announced;
  }

  /** @throws ODataError `PayloadTooLarge` with the first byte above the limit */
  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) throw payloadTooLarge(this.#maxBytes);
    // Most bodies arrive in one chunk, which needs no copy.
    if (this.#length === 0) this.#parts = [chunk];
    else if (isKept(chunk)) this.#keep(chunk);
    else this.#copy(chunk);
    this.#length = length;
  }

  #keep(chunk: Uint8Array): void {
    // The block is used again: a block between each two large chunks would multiply the memory.
    if (this.#used > 0) this.#parts.push(this.#block.slice(0, this.#used));
    this.#used = 0;
    this.#parts.push(chunk);
  }

  #copy(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length;) {
      if (this.#used === this.#block.length) this.#nextBlock();
      const taken = chunk.subarray(start, start + this.#block.length - this.#used);
      this.#block.set(taken, this.#used);
      this.#used += taken.length;
      start += taken.length;
    }
  }

  #nextBlock(): void {
    if (this.#used > 0) this.#parts.push(this.#block);
    this.#block = new Uint8Array(this.#length < LARGE_BLOCK ? SMALL_BLOCK : LARGE_BLOCK);
    this.#used = 0;
  }

  /**
   * Returns the bytes of the complete body.
   * @throws ODataError `InvalidBody` if it is shorter than announced
   */
  end(): Uint8Array {
    if (this.#announced !== undefined && this.#length < this.#announced) throw truncatedBody();
    const [only = NO_BYTES] = this.#parts;
    if (only.length === this.#length) return only;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const part of [...this.#parts, this.#block.subarray(0, this.#used)]) {
      whole.set(part, at);
      at += part.length;
    }
    this.#parts = [whole];
    this.#block = NO_BYTES;
    this.#used = 0;
    return whole;
  }
}

/** Returns whether a chunk is large, and is most of the memory that it keeps alive. */
function isKept({ length, buffer }: Uint8Array): boolean {
  return length >= SMALL_BLOCK && 2 * length >= buffer.byteLength;
}

/** Creates the error for a body above the limit. */
export function payloadTooLarge(maxBytes: number): ODataError {
  return protocolError(
    "PayloadTooLarge",
    `The body is larger than the limit of ${String(maxBytes)} bytes. Send less at once.`,
  );
}

/**
 * Creates the error for a body with too many JSON values.
 * @param limit the limit that the body exceeds, such as "more than 10 values"
 */
function tooManyValues(limit: string): ODataError {
  return protocolError("PayloadTooLarge", `The body has ${limit}. Send less at once.`);
}

/**
 * Creates the error for a body that ends early. In most cases the client has gone.
 * @param cause the error of the connection; returned unchanged if it is an `ODataError`
 */
export function truncatedBody(cause?: unknown): ODataError {
  if (isODataError(cause)) return cause;
  const message = "The body is shorter than Content-Length states. Send the whole body again.";
  return protocolError("InvalidBody", message, { cause });
}

/** Creates the error for a body that other code of the application has already read. */
export function bodyWasRead(): Error {
  return new Error(
    "The body of the request was read before it reached the service. Mount the service before body parsers.",
  );
}

/** The representation of a body. */
interface BodyFormat {
  /** Whether Int64 and Decimal values are strings. @see OData JSON Format 4.0, section 3.2 */
  readonly ieee754Compatible: boolean;
}

const PLAIN: BodyFormat = Object.freeze({ ieee754Compatible: false });
const IEEE754_COMPATIBLE: BodyFormat = Object.freeze({ ieee754Compatible: true });

const UTF8: ReadonlySet<string> = new Set(["utf-8", "utf8"]);

/**
 * Checks the length, coding and type of a body by its headers, before any byte is read. A request without a body needs no
 * type; the reader reports the missing body.
 * @param maxBytes the most bytes to read; null for no limit
 * @throws ODataError `PayloadTooLarge` if Content-Length is above the limit; `UnsupportedMediaType` for a body that is
 * compressed or not JSON in UTF-8
 * @see docs/reference/headers.md
 */
export function checkContentHeaders(request: ODataRequest, maxBytes: number | null): BodyFormat {
  checkBodyHeaders(request, maxBytes);
  const type = request.header("content-type");
  if (type === "application/json") return PLAIN;
  if (type === undefined || type.trim() === "") {
    if (!request.hasBody) return PLAIN;
    throw unsupportedType("The request has a body but no Content-Type");
  }
  return readType(type);
}

/**
 * Checks the length and coding of a body of any type by its headers.
 * @param maxBytes the most bytes to read; null for no limit
 * @param most the limit where the application sets none, and the most that it can set
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 */
export function checkBodyHeaders(request: ODataRequest, maxBytes: number | null, most: number = MAX_TEXT_BYTES): void {
  const limit = Math.min(maxBytes ?? most, most);
  const length = readContentLength(request.header("content-length"));
  if (length !== undefined && length > limit) throw payloadTooLarge(limit);
  checkCoding(request.header("content-encoding"));
}

/** Returns the number in a Content-Length header; undefined if it is absent or not a number. */
export function readContentLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

function checkCoding(header: string | undefined): void {
  if (header === undefined) return;
  const coding = splitHeaderList(header).find((each) => each.toLowerCase() !== "identity");
  if (coding === undefined) return;
  throw protocolError(
    "UnsupportedMediaType",
    "The body is compressed. Send it uncompressed, without Content-Encoding.",
    {
      target: "Content-Encoding",
      // Lists the accepted codings. @see RFC 9110, section 15.5.16
      headers: { "Accept-Encoding": "identity" },
    },
  );
}

function readType(header: string): BodyFormat {
  const [type = "", ...parts] = splitHeaderList(header, ";");
  if (type.toLowerCase() !== "application/json") throw unsupportedType("The Content-Type of the body is not JSON");
  let format = PLAIN;
  for (const part of parts) {
    const { name, value } = readHeaderParameter(part);
    if (name === "charset" && !UTF8.has(value.toLowerCase())) {
      throw unsupportedType("The charset in Content-Type is not UTF-8");
    }
    if (name === "ieee754compatible") format = value.toLowerCase() === "true" ? IEEE754_COMPATIBLE : PLAIN;
  }
  return format;
}

/** Creates the error for a Content-Type that the host cannot read. */
export function malformedType(): Error {
  return unsupportedType("The Content-Type of the body is malformed");
}

function unsupportedType(problem: string): Error {
  return protocolError("UnsupportedMediaType", `${problem}. Send JSON in UTF-8 as application/json.`, {
    target: "Content-Type",
  });
}
