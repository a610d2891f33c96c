const encoder = new TextEncoder();

const FIRST_CAPACITY = 256;
/** Larger buffers are released after use. */
const MAX_KEPT = 65_536;

/** A growing buffer of bytes. The memory is kept for the next use, unless it is large. */
export class ByteFrame {
  #bytes: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #view: DataView = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Removes the bytes. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT) this.#allocate(FIRST_CAPACITY);
  }

  /** The current bytes, valid until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Appends bytes. */
  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends the number of bytes as 4 bytes, little-endian, then the bytes. */
  appendSized(bytes: Uint8Array): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, bytes.length, true);
    this.#length += 4;
    this.append(bytes);
  }

  /** Appends the number of bytes of a text as 4 bytes, little-endian, then the text as UTF-8. */
  appendText(text: string): void {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    this.#reserve(4 + text.length * 3);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#length + 4));
    this.#view.setUint32(this.#length, written, true);
    this.#length += 4 + written;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const { bytes } = this;
    this.#allocate(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.set(bytes);
  }

  #allocate(capacity: number): void {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
