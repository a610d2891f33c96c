import { nextTurn } from "../base/host.ts";
import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet } from "../edm/model.ts";
import { applyClauses } from "../memory/apply-query.ts";
import { Evaluation } from "../memory/evaluation.ts";
import type { Page, PageStream, SourceQuery } from "../query/source.ts";
import type { Reader } from "./reader.ts";

/** The number of entities of one chunk. */
const CHUNK = 250;

/** How the entities of a handler become those of the response. */
export interface HandlerEntities {
  /** The clauses to apply; a filter that mentions no related entities. */
  readonly query: Pick<SourceQuery, "shape" | "values" | "filter" | "skip" | "top">;
  /** The set whose row rule applies; null: none does. */
  readonly ruled: EntitySet | null;
  readonly reader: Reader;
}

/**
 * Reads the entities of an async iterable of the application in chunks: hidden ones are left out, then `$filter`, `$skip` and `$top`
 * apply. No more entities are requested from the iterable than the response needs.
 */
export class HandlerStream implements PageStream {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #entities: HandlerEntities;
  readonly #evaluation: Evaluation;
  #skip: number;
  #left: number;
  #isOver = false;

  constructor(entities: AsyncIterable<unknown>, settings: HandlerEntities) {
    const { values, skip, top } = settings.query;
    this.#iterator = entities[Symbol.asyncIterator]();
    this.#entities = settings;
    this.#evaluation = new Evaluation(values);
    this.#skip = skip;
    this.#left = top ?? Infinity;
  }

  async next(): Promise<Page | null> {
    while (!this.#isOver) {
      const page = await this.#keep(await this.#pull());
      if (page.length > 0) return { entities: page };
      // Entities that are not waited for would leave no turn to other requests.
      await nextTurn();
    }
    return null;
  }

  read(): never {
    throw new Error("The entities of an iterable are read once.");
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The response does not wait for the application, and has no place for its error.
    const ended = Promise.resolve().then(() => this.#iterator.return?.());
    ended.catch(() => undefined);
  }

  async #pull(): Promise<readonly unknown[]> {
    const { query, ruled } = this.#entities;
    const isWhole = query.filter === null && ruled === null;
    const most = isWhole ? Math.min(CHUNK, this.#skip + this.#left) : CHUNK;
    const chunk: unknown[] = [];
    while (chunk.length < most) {
      const next = await this.#nextEntity();
      if (next.done === true) break;
      chunk.push(next.value);
    }
    return chunk;
  }

  /** An iterator that has ended or failed is not told to return. */
  async #nextEntity(): Promise<IteratorResult<unknown>> {
    let isEnded = true;
    try {
      const next = await this.#iterator.next();
      isEnded = next.done === true;
      return next;
    } finally {
      if (isEnded) this.#isOver = true;
    }
  }

  #keep(chunk: readonly unknown[]): Maybe<readonly unknown[]> {
    const { query, ruled, reader } = this.#entities;
    const seen = ruled === null ? chunk : (reader.gate?.keep(ruled, chunk, reader.context) ?? chunk);
    return chain(seen, (visible) => {
      const clauses = { ...query, orderBy: [], skip: 0, top: undefined, count: false };
      const { entities } = applyClauses(visible, clauses, this.#evaluation);
      const page = entities.slice(this.#skip, this.#skip + this.#left);
      this.#skip = Math.max(0, this.#skip - entities.length);
      this.#left -= page.length;
      if (this.#left <= 0) this.close();
      return page;
    });
  }
}
