import { chain, unawaited, type Maybe } from "../../base/maybe.ts";
import { lastValuesOf } from "../../query/last-values.ts";
import { placeAt } from "../../query/place.ts";
import type { KeyContinuation, Page, PageStream, SourceQuery, StreamQuery } from "../../query/source.ts";
import { readPage } from "./read-page.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { StreamHold } from "./stream-hold.ts";

/** A page that is read in chunks by key. */
export interface KeysetPage {
  readonly query: StreamQuery;
  readonly continuation: KeyContinuation;
  /** The number of rows of a chunk. */
  readonly size: number;
  readonly hold: StreamHold;
}

/**
 * Reads a page in the order of its key: each chunk is a statement for the rows after the last one. In a snapshot, the next
 * chunk is read while the response contains the last one.
 */
export class KeysetStream implements PageStream {
  readonly #reader: SqlReader;
  readonly #page: KeysetPage;
  /** The query for the next chunk; null after the last one. */
  #next: SourceQuery | null;
  /** The number of rows read so far. */
  #length = 0;
  /** The number of rows that remain to be read. */
  #left: number;
  /** The most entities in the other chunks, expansions included; null: no limit. */
  #entitiesLeft: number | null;
  #ahead: Maybe<Page> | undefined;

  constructor(reader: SqlReader, page: KeysetPage) {
    this.#reader = reader;
    this.#page = page;
    const { query, hold } = page;
    this.#left = query.top ?? Infinity;
    this.#entitiesLeft = query.maxEntities ?? null;
    this.#next = { ...query, ...hold.scope };
  }

  get snapshot(): unknown {
    return this.#page.hold.scope.transaction;
  }

  next(): Maybe<Page | null> {
    const page = this.#ahead ?? this.#read();
    this.#ahead = undefined;
    return page === null ? null : chain(page, (read) => this.#take(read));
  }

  read(query: SourceQuery): Maybe<Page> {
    return readPage(this.#reader, this.#page.hold.within(query));
  }

  close(): void {
    this.#next = null;
    this.#page.hold.end();
  }

  #read(): Maybe<Page> | null {
    if (this.#next === null) return null;
    const size = this.#chunkSize();
    const { order } = this.#page.continuation;
    const marked = { order, row: size - 1 };
    return readPage(this.#reader, { ...this.#next, marked, top: size, maxEntities: this.#entitiesLeft });
  }

  /** Returns the query for the rows after those that were read, if the last one does not tell where it is. */
  #atOffset(query: SourceQuery): SourceQuery {
    const { after, skip } = this.#page.query;
    return { ...query, after, skip: skip + this.#length };
  }

  #chunkSize(): number {
    return Math.min(this.#page.size, this.#left);
  }

  #take(page: Page): Maybe<Page | null> {
    const query = this.#next;
    if (query === null) return null;
    const { continuation, hold } = this.#page;
    const length = page.json?.length ?? page.entities.length;
    const isLast = length < this.#chunkSize() || length === this.#left;
    if (isLast) {
      this.#next = null;
      // A response that counts its entities does so in the same snapshot, before its first byte.
      return length === 0 ? null : page;
    }
    const values = lastValuesOf(page);
    this.#left -= length;
    // Only rows tell which expansion exceeds the limit: a longer chunk of JSON becomes one of rows.
    if (this.#entitiesLeft !== null) this.#entitiesLeft -= page.json?.total ?? length;
    this.#length += length;
    this.#next =
      values === null ? this.#atOffset(query) : { ...query, skip: 0, after: placeAt(continuation.order, values) };
    if (hold.readsElsewhere) this.#ahead = unawaited(this.#read() ?? page);
    return page;
  }
}
