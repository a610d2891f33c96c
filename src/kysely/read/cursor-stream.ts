import type { Maybe } from "../../base/maybe.ts";
import type { Page, PageStream, SourceQuery } from "../../query/source.ts";
import { readableRows } from "../../query/unreadable-cells.ts";
import { readPage } from "./read-page.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { StreamHold } from "./stream-hold.ts";

/** A statement in a snapshot, whose entities are fetched in chunks. */
export interface Cursor {
  readonly hold: StreamHold;
  /** Returns the next entities. */
  readonly next: () => Promise<CursorPart>;
  /** Called when no more entities are wanted. */
  readonly close: () => void;
}

/** Entities that a cursor has returned. */
export interface CursorPart {
  readonly page: Page;
  /** Whether none follow. */
  readonly isLast: boolean;
}

/** A page in any order that a cursor reads. The next entities are fetched while the response contains the last ones. */
export class CursorStream implements PageStream {
  readonly #reader: SqlReader;
  readonly #cursor: Cursor;
  #isOver = false;
  #ahead: Promise<CursorPart>;

  constructor(reader: SqlReader, cursor: Cursor) {
    this.#reader = reader;
    this.#cursor = cursor;
    this.#ahead = this.#fetch();
  }

  get snapshot(): unknown {
    return this.#cursor.hold.scope.transaction;
  }

  async next(): Promise<Page | null> {
    if (this.#isOver) return null;
    const { page, isLast } = await this.#ahead;
    if (isLast) this.#isOver = true;
    else this.#ahead = this.#fetch();
    return (page.json?.length ?? page.entities.length) === 0 ? null : readable(page);
  }

  read(query: SourceQuery): Maybe<Page> {
    return readPage(this.#reader, this.#cursor.hold.within(query));
  }

  close(): void {
    this.#isOver = true;
    this.#cursor.close();
    this.#cursor.hold.end();
  }

  #fetch(): Promise<CursorPart> {
    const part = this.#cursor.next();
    // The next call reports the error.
    part.catch(() => undefined);
    return part;
  }
}

function readable(page: Page): Page {
  return page.rowShape === undefined ? page : { ...page, entities: readableRows(page.entities, page.rowShape) };
}
