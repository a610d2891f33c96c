import type { Maybe } from "../../base/maybe.ts";
import type { Row, RowShape } from "../../query/row-shape.ts";
import type { Page, PageStream, SourceQuery } from "../../query/source.ts";
import { readPage } from "./read-page.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { StreamHold } from "./stream-hold.ts";

/** A statement in a snapshot, whose rows are fetched in chunks. */
export interface Cursor {
  readonly rowShape: RowShape;
  /** The number of rows of a chunk. */
  readonly size: number;
  readonly hold: StreamHold;
  /** Returns the next rows, fewer than `size` at the end. */
  readonly fetch: () => Promise<readonly Row[]>;
}

/** A page in any order that a cursor reads. The next rows are fetched while the response contains the last ones. */
export class CursorStream implements PageStream {
  readonly #reader: SqlReader;
  readonly #cursor: Cursor;
  #isOver = false;
  #ahead: Promise<readonly Row[]>;

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
    const entities = await this.#ahead;
    if (entities.length < this.#cursor.size) this.#isOver = true;
    else this.#ahead = this.#fetch();
    return entities.length === 0 ? null : { entities, rowShape: this.#cursor.rowShape };
  }

  read(query: SourceQuery): Maybe<Page> {
    return readPage(this.#reader, this.#cursor.hold.within(query));
  }

  close(): void {
    this.#isOver = true;
    this.#cursor.hold.end();
  }

  #fetch(): Promise<readonly Row[]> {
    const rows = this.#cursor.fetch();
    // The next call reports the error.
    rows.catch(() => undefined);
    return rows;
  }
}
