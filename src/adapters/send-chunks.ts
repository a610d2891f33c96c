import type { Writable } from "node:stream";
import { Turn } from "../base/turn.ts";

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
  const smallChunks = new SmallChunks(target);
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
      if (target.writableNeedDrain && !target.destroyed) await untilWritable(target);
    }
    smallChunks.send();
    if (!target.destroyed) target.end();
  } catch (error) {
    // The reads of a client that has left are aborted.
    const hasLeft = target.destroyed;
    target.destroy();
    if (!hasLeft) throw error;
  }
}

/** Writes chunks to a stream. Small ones wait for the end of the turn at the latest. */
class SmallChunks {
  readonly #target: Writable;
  #bytes = 0;
  #end: NodeJS.Immediate | undefined;

  constructor(target: Writable) {
    this.#target = target;
  }

  /** Returns whether the chunk waits for others. A long chunk goes alone: a corked stream would ask for a pause and not end it. */
  write(chunk: Chunk): boolean {
    const bytes = Buffer.byteLength(chunk);
    if (bytes >= SMALL) {
      this.send();
      this.#target.write(chunk);
      return false;
    }
    if (this.#end === undefined) {
      this.#target.cork();
      this.#end = setImmediate(() => this.send());
    }
    this.#target.write(chunk);
    this.#bytes += bytes;
    return this.#bytes < TOGETHER;
  }

  /** Sends the chunks that wait. */
  send(): void {
    if (this.#end === undefined) return;
    clearImmediate(this.#end);
    this.#end = undefined;
    this.#bytes = 0;
    this.#target.uncork();
  }
}

/** Waits until the client has read all chunks, or has gone. Leaves no listeners. */
function untilWritable(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off("drain", done).off("close", done);
      resolve();
    };
    target.on("drain", done).on("close", done);
  });
}
