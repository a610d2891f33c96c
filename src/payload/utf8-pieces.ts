/** Text is encoded when so many UTF-16 units have been added: a long string would first be copied as a whole. */
export const PIECE_LENGTH: number = 8 * 1024;
/** The minimum length of a chunk except the last, in bytes. */
const CHUNK_LENGTH = 64 * 1024;
/** The most bytes that UTF-8 needs for one UTF-16 unit. */
const BYTES_PER_UNIT = 3;

const NOTHING = new Uint8Array(0);

const encoder = new TextEncoder();

/** Encodes text as UTF-8, piece by piece, into chunks. */
export class Utf8Pieces {
  #chunk = NOTHING;
  #length = 0;

  /**
   * Adds a piece of text.
   * @returns the chunk that the piece completes; null if there is room for more
   */
  add(piece: string): Uint8Array | null {
    const needed = this.#length + BYTES_PER_UNIT * piece.length;
    if (needed > this.#chunk.length) this.#grow(needed);
    this.#length += encoder.encodeInto(piece, this.#chunk.subarray(this.#length)).written;
    return this.#length < CHUNK_LENGTH ? null : this.take();
  }

  /**
   * Adds bytes.
   * @returns as `add`
   */
  addBytes(bytes: Uint8Array): Uint8Array | null {
    const needed = this.#length + bytes.length;
    if (needed > this.#chunk.length) this.#grow(needed);
    this.#chunk.set(bytes, this.#length);
    this.#length = needed;
    return this.#length < CHUNK_LENGTH ? null : this.take();
  }

  /** Returns the bytes since the last chunk. */
  take(): Uint8Array {
    const taken = this.#chunk.subarray(0, this.#length);
    this.#chunk = NOTHING;
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const longer = new Uint8Array(2 * needed);
    longer.set(this.#chunk.subarray(0, this.#length));
    this.#chunk = longer;
  }
}

/** Joins chunks to one. */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [only, second] = chunks;
  if (only !== undefined && second === undefined) return only;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const joined = new Uint8Array(length);
  let end = 0;
  for (const chunk of chunks) {
    joined.set(chunk, end);
    end += chunk.length;
  }
  return joined;
}

/** Cuts bytes into chunks without copying them. */
export function cutChunks(bytes: Uint8Array): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_LENGTH) {
    chunks.push(bytes.subarray(start, start + CHUNK_LENGTH));
  }
  return chunks;
}
