const encoder = new TextEncoder();

/** Bytes that are put together piece by piece; the memory is kept for the next use. */
export class ByteFrame {
  #bytes: Uint8Array = new Uint8Array(256);
  #view: DataView = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Forgets what was put in. */
  clear(): void {
    this.#length = 0;
  }

  /** The bytes put in so far: valid until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Appends bytes as they are. */
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

  /** Appends text as UTF-8 behind the number of its bytes: 4 bytes, little-endian. */
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
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
