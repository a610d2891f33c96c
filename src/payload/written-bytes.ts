import { utf8Length } from "../base/byte-count.ts";
import type { EntityText } from "./entity-text.ts";

/** The part of the bytes in which texts count as if each character had three bytes: most pages have no more. */
const UNCOUNTED = 1 / 256;
const MOST_PER_CHARACTER = 3;

/** The sum that the responses of a batch share. */
export interface SharedBytes {
  bytes: number;
}

/** Counts the bytes of the entities that a response contains, as they are written. */
export class WrittenBytes {
  readonly most: number;
  readonly #shared: SharedBytes | undefined;
  #written = 0;

  /** @param shared the sum of the batch; absent: no batch contains the response */
  constructor(most: number, shared?: SharedBytes) {
    this.most = most;
    this.#shared = shared;
  }

  /** Begins again, without the sum of the batch. */
  restart(): WrittenBytes {
    return new WrittenBytes(this.most);
  }

  /** Whether the only text of a response fits, whatever its characters are: then it need not be counted. */
  certainlyFits(text: EntityText): boolean {
    return this.#shared === undefined && typeof text === "string" && text.length * MOST_PER_CHARACTER <= this.most;
  }

  /** Counts an entity if it fits. @param again writes the same text again: the pieces of a long one can be read once */
  take(text: EntityText, again: () => EntityText): boolean {
    if (this.most === Infinity && this.#shared === undefined) return true;
    return this.takeBytes(typeof text === "string" ? this.#bytesOf(text) : this.#bytesOfPieces(again()));
  }

  /** Counts the bytes of one or more entities, and the comma before them, if they fit. */
  takeBytes(entities: number): boolean {
    const bytes = this.#written === 0 ? entities : entities + 1;
    if (this.#written + bytes > this.most) return false;
    this.#written += bytes;
    if (this.#shared !== undefined) this.#shared.bytes += bytes;
    return true;
  }

  #bytesOf(text: string): number {
    const most = text.length * MOST_PER_CHARACTER;
    return this.#written + most <= this.most * UNCOUNTED ? most : utf8Length(text);
  }

  #bytesOfPieces(pieces: EntityText): number {
    let bytes = 0;
    for (const piece of pieces) {
      bytes += utf8Length(piece);
      if (bytes > this.most) break;
    }
    return bytes;
  }
}
