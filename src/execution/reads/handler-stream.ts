import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { applyClauses } from "../../memory/apply-query.ts";
import { Evaluation } from "../../memory/evaluation.ts";
import type { Page, PageStream, SourceQuery } from "../../query/source.ts";
import { EntityIterator } from "../entities/entity-iterator.ts";
import type { Reader } from "../entities/reader.ts";

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
  readonly #iterator: EntityIterator;
  readonly #entities: HandlerEntities;
  readonly #evaluation: Evaluation;
  #skip: number;
  #left: number;

  constructor(entities: AsyncIterable<unknown>, settings: HandlerEntities) {
    const { values, skip, top } = settings.query;
    this.#iterator = new EntityIterator(entities, settings.reader);
    this.#entities = settings;
    this.#evaluation = new Evaluation(values);
    this.#skip = skip;
    this.#left = top ?? Infinity;
  }

  async next(): Promise<Page | null> {
    while (!this.#iterator.isOver) {
      const page = await this.#keep(await this.#iterator.pull(this.#mostNeeded()));
      if (page.length > 0) return { entities: page };
    }
    return null;
  }

  read(): never {
    throw new Error("The entities of an iterable are read once.");
  }

  close(): void {
    this.#iterator.close();
  }

  #mostNeeded(): number {
    const { query, ruled } = this.#entities;
    const isWhole = query.filter === null && ruled === null;
    return isWhole ? Math.min(CHUNK, this.#skip + this.#left) : CHUNK;
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
