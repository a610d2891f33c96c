import { Turn } from "../../base/maybe.ts";
import type { Reader } from "./reader.ts";

/** The number of entities between two readings of the clock. */
const SLICE = 16;

/**
 * Reads an async iterable of the application. Other requests get their turns, although the iterable may never wait. If
 * the reading ends early, also because the client left, `return()` closes the iterator.
 */
export class EntityIterator {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #signal: AbortSignal;
  readonly #turn: Turn;
  #isOver = false;

  constructor(entities: AsyncIterable<unknown>, { context, turn = new Turn() }: Pick<Reader, "context" | "turn">) {
    this.#iterator = entities[Symbol.asyncIterator]();
    this.#signal = context.signal;
    this.#turn = turn;
  }

  /** Whether no entities follow: the iterable has ended or failed, or was closed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the next entities, fewer than `most` at the end. @throws errors of the iterable; the reason of the signal */
  pull(most: number): Promise<readonly unknown[]> {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.close();
        reject(signal.reason as Error);
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      const end = (): void => signal.removeEventListener("abort", leave);
      this.#pull(most).finally(end).then(resolve, reject);
    });
  }

  /** Calls `return` of the iterable, unless it is over. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The response does not wait for the application, and has no place for its error.
    const ended = Promise.resolve().then(() => this.#iterator.return?.());
    ended.catch(() => undefined);
  }

  async #pull(most: number): Promise<readonly unknown[]> {
    const entities: unknown[] = [];
    while (entities.length < most && !this.#isOver) {
      const next = await this.#next();
      if (next.done === true) break;
      entities.push(next.value);
      if (entities.length % SLICE === 0 && this.#turn.isOver) await this.#turn.next();
    }
    return entities;
  }

  /** Returns the next result, and notes the end: `close` does not call `return` of an iterator that has ended or failed. */
  async #next(): Promise<IteratorResult<unknown>> {
    let isEnded = true;
    try {
      const next = await this.#iterator.next();
      isEnded = next.done === true;
      return next;
    } finally {
      if (isEnded) this.#isOver = true;
    }
  }
}
