import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";

/** The length of the longest string in JavaScript: the limit where the application sets none. */
export const MAX_TEXT_BYTES: number = 2 ** 29 - 24;

const FIRST_CAPACITY = 16_384;

/**
 * Gathers the chunks of one body. It needs at most twice the memory of the bytes received.
 * @see docs/reference/limits.md
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #announced: number | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
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
    if (this.#length === 0) {
      // Most bodies arrive in one chunk, which needs no copy.
      this.#bytes = chunk;
    } else {
      if (length > this.#bytes.length) this.#grow(length);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = length;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.min(this.#maxBytes, Math.max(FIRST_CAPACITY, 2 * length)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  /**
   * Returns the bytes of the complete body.
   * @throws ODataError `InvalidBody` if it is shorter than announced
   */
  end(): Uint8Array {
    if (this.#announced !== undefined && this.#length < this.#announced) throw truncatedBody();
    return this.#bytes.subarray(0, this.#length);
  }
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
