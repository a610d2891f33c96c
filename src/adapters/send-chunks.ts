import type { Writable } from "node:stream";
import { Turn } from "../base/turn.ts";
import { PacedWriter } from "./paced-writer.ts";

type Chunk = string | Uint8Array;

/** Chunks below this number of bytes are sent with the next ones, as far as these follow in the same turn. */
const SMALL = 4096;

/** The bytes of small chunks that are sent together: fewer than a stream takes before it asks for a pause. */
const TOGETHER = 8192;

/**
 * Sends chunks as fast as the client reads them, and lets other requests run after each, or after several small ones. The
 * next chunk is made when the client has read the last one, so a slow client fills no memory. A failure destroys the
 * connection: a response that ends early must not look complete.
 */
export async function sendChunks(
  start: () => void,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  target: Writable,
): Promise<void> {
  let isStarted = false;
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const turn = new Turn();
  const writer = new PacedWriter(target);
  const smallChunks = new SmallChunks(target, writer);
  // The iterator may wait for something while the client leaves.
  const leave = (): void => void iterator.return?.();
  target.once("close", leave);
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      if (target.destroyed) return leave();
      if (!isStarted) start();
      isStarted = true;
      if (smallChunks.write(next.value) && !turn.isOver) continue;
      smallChunks.send();
      await turn.next();
      const pause = writer.pause();
      if (pause !== null) await pause;
    }
    smallChunks.send();
    if (!target.destroyed) target.end();
  } catch (error) {
    // The reads of a client that has left are aborted.
    const hasLeft = target.destroyed;
    target.destroy();
    if (!hasLeft) throw error;
  } finally {
    smallChunks.drop();
    writer.end();
  }
}

/** Writes chunks to a stream. Small ones wait for the end of the turn at the latest. */
class SmallChunks {
  readonly #target: Writable;
  readonly #writer: PacedWriter;
  #chunks: Chunk[] = [];
  #bytes = 0;
  #end: NodeJS.Immediate | undefined;

  constructor(target: Writable, writer: PacedWriter) {
    this.#target = target;
    this.#writer = writer;
  }

  /** Returns whether the chunk waits for others. */
  write(chunk: Chunk): boolean {
    const bytes = Buffer.byteLength(chunk);
    if (bytes >= SMALL) {
      this.send();
      this.#writer.write(chunk);
      return false;
    }
    this.#end ??= setImmediate(() => this.send());
    this.#chunks.push(chunk);
    this.#bytes += bytes;
    return this.#bytes < TOGETHER;
  }

  /**
   * Sends the chunks that wait as one. A corked response would send them as well, but it would not show that its client
   * stopped reading.
   */
  send(): void {
    const chunks = this.#chunks;
    this.drop();
    if (chunks.length > 0 && !this.#target.destroyed) this.#writer.write(joined(chunks));
  }

  /** Forgets the chunks that wait. */
  drop(): void {
    clearImmediate(this.#end);
    this.#end = undefined;
    this.#chunks = [];
    this.#bytes = 0;
  }
}

function joined(chunks: readonly Chunk[]): Chunk {
  if (chunks.every((chunk) => typeof chunk === "string")) return chunks.join("");
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}
