import type { Transform } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

/** A compressor of `node:zlib`, which works in other threads. */
export interface Compressor extends Transform {
  /** Makes the compressor pass on everything that was written. */
  flush(callback?: () => void): void;
}

type Chunk = string | Uint8Array;

/** How long a body may pause before the client gets what was written so far, in milliseconds. */
const PAUSE = 20;

/**
 * Compresses the chunks of a body while they are read. It reads a chunk only when the client has read the earlier ones, and
 * ends the chunks when the client leaves.
 * @see docs/guides/production.md, Compression
 */
export class CompressedChunks implements AsyncIterableIterator<Uint8Array, void, void> {
  readonly #source: Iterator<Chunk> | AsyncIterator<Chunk>;
  readonly #compressor: Compressor;
  #isStarted = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(chunks: Iterable<Chunk> | AsyncIterable<Chunk>, compressor: Compressor) {
    this.#source = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
    this.#compressor = compressor;
    compressor.on("error", (error) => (this.#failure ??= { error }));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      void this.#pump();
    }
    const compressor = this.#compressor;
    for (;;) {
      const chunk: unknown = compressor.read();
      if (chunk instanceof Uint8Array) return { done: false, value: chunk };
      if (this.#failure !== null) throw this.#failure.error;
      if (compressor.readableEnded || compressor.destroyed) return { done: true, value: undefined };
      await untilAny(compressor, ["readable", "end", "error", "close"]);
    }
  }

  /** Ends the chunks, at once: a chunk may never come. */
  return(): Promise<IteratorResult<Uint8Array, void>> {
    this.#compressor.destroy();
    void this.#source.return?.();
    return Promise.resolve({ done: true, value: undefined });
  }

  async #pump(): Promise<void> {
    const compressor = this.#compressor;
    try {
      for (let next = await this.#read(); next.done !== true; next = await this.#read()) {
        if (compressor.destroyed) return;
        if (!compressor.write(next.value)) await untilAny(compressor, ["drain", "error", "close"]);
        await nextTurn();
      }
      compressor.end();
    } catch (error) {
      this.#failure ??= { error };
      compressor.destroy();
    }
  }

  /** Reads the next chunk. Passes on the earlier ones if the next one is late. */
  async #read(): Promise<IteratorResult<Chunk, unknown>> {
    const next = this.#source.next();
    if (!(next instanceof Promise)) return next;
    const timer = setTimeout(() => {
      if (!this.#compressor.destroyed) this.#compressor.flush();
    }, PAUSE);
    try {
      return await next;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Waits for the first of several events. Leaves no listeners. */
function untilAny(emitter: Transform, names: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const name of names) emitter.off(name, done);
      resolve();
    };
    for (const name of names) emitter.on(name, done);
  });
}
