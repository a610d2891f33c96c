import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";

/** The length of the longest string in JavaScript: the limit where the application sets none. */
export const MAX_TEXT_BYTES: number = 2 ** 29 - 24;

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
export function tooManyValues(limit: string): ODataError {
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
