import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";

/** No JavaScript text is longer than this, so a longer body can never be read: it is the limit where none is set. */
export const MAX_TEXT_BYTES: number = 2 ** 29 - 24;

const FIRST_CAPACITY = 16_384;

/**
 * Gathers the chunks of one body. Its memory is at most twice that of the bytes that came, in however many chunks.
 * @see specification, Cross-cutting request rules, 5
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #announced: number | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;

  /**
   * @param maxBytes most bytes that are taken; null for no limit
   * @param announced the number that Content-Length states; undefined without one
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
      // Most bodies come in one chunk, which needs no copy.
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
   * The bytes of the body, when it has ended.
   * @throws ODataError `InvalidBody` when fewer came than were announced
   */
  end(): Uint8Array {
    if (this.#announced !== undefined && this.#length < this.#announced) throw truncatedBody();
    return this.#bytes.subarray(0, this.#length);
  }
}

/**
 * Makes the error of a body above the limit.
 * @param maxBytes the limit
 */
export function payloadTooLarge(maxBytes: number): ODataError {
  return protocolError(
    "PayloadTooLarge",
    `The body has more than the ${String(maxBytes)} bytes that are read: send less at once.`,
  );
}

/**
 * Makes the error of a body with too many JSON values.
 * @param limit what the body has more of
 */
export function tooManyValues(limit: string): ODataError {
  return protocolError("PayloadTooLarge", `The body has ${limit}. Send less at once.`);
}

/**
 * Makes the error of a body that ended too early: nobody is left to read it, in most cases.
 * @param cause what the connection said; an error that is meant for the client stays as it is
 */
export function truncatedBody(cause?: unknown): ODataError {
  if (isODataError(cause)) return cause;
  const message = "The body ended before the length that Content-Length states: send it again, whole.";
  return protocolError("InvalidBody", message, { cause });
}

/** Makes the error of a body that something before the service has read: a fault of the application. */
export function bodyWasRead(): Error {
  return new Error(
    "The body of the request was read before it came to the service: mount the service before body parsers.",
  );
}
