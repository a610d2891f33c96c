import type { Maybe } from "../../base/maybe.ts";
import type { JsonEntities } from "../../language/query/json-entities.ts";
import type { StreamQuery, Page, PageStream, SourceQuery } from "../../language/query/source.ts";
import type { Fetch, SnapshotReader } from "../connection/patient-reader.ts";
import { toReadFault } from "../kinds/database-fault.ts";
import { readSlots, beginStatement, type RunningStatement } from "../statement/parameter-slot.ts";
import type { JsonStatement, Statement } from "./compile-statement.ts";
import { readableRows, toEntities, executionOf, statementOf, readPage } from "./read-page.ts";
import { inReadTime } from "./read-time.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { StreamHold } from "./stream-hold.ts";

/** The number of entities of a chunk of bytes. */
const JSON_CHUNK = 1000;
/** The number of rows of a chunk, which are copied from one thread to the other. */
const ROW_CHUNK = 500;

/** A page, and the snapshot in which it is read. */
interface CursorPage {
  readonly snapshot: SnapshotReader;
  readonly query: StreamQuery;
  readonly hold: StreamHold;
}

/** Returns the statement of a page whose objects a cursor reads; null if only rows can be read. @throws as `StatementCache.json` */
export function objectStatement(reader: SqlReader, query: StreamQuery): JsonStatement | null {
  const { json } = query;
  // Expansions are read for many parents at once.
  return json === undefined || json.expanded.length > 0 ? null : reader.statements.json(query, json, "objects");
}

/**
 * Reads a page in any order from a snapshot: objects that the database writes, since rows would be copied and would fill the
 * heap. From the first chunk on with a value that the database cannot write, rows are read.
 */
export class SnapshotCursor {
  readonly #reader: SqlReader;
  readonly #page: CursorPage;
  #objects: JsonStatement | null;
  /** The query for rows: that of the page without the entities that have been read. */
  #rest: StreamQuery;
  #running: RunningStatement | undefined;

  constructor(reader: SqlReader, page: CursorPage) {
    this.#reader = reader;
    this.#page = page;
    this.#rest = page.query;
    this.#objects = objectStatement(reader, page.query);
  }

  /** Returns the next entities. @throws as `readPage` */
  async next(): Promise<CursorPart> {
    const json = this.#objects === null ? null : await this.#nextObjects(this.#objects);
    if (json !== null) {
      const isCut = this.#page.query.bytes?.isOver;
      const part = { page: { entities: [], json, isCut }, isLast: isCut === true || json.length < JSON_CHUNK };
      return this.#counted(part, json.length);
    }
    if (this.#objects !== null) this.close();
    this.#objects = null;
    return this.#nextRows();
  }

  /** Ends the statement: no more entities are wanted. */
  close(): void {
    this.#running?.end();
    this.#running = undefined;
  }

  #counted(part: CursorPart, length: number): CursorPart {
    this.#running?.add(length);
    if (part.isLast) this.close();
    return part;
  }

  async #nextObjects(statement: JsonStatement): Promise<JsonEntities | null> {
    const { query } = this.#page;
    const { slots, table, members } = statement;
    const parameters = readSlots(slots, executionOf(this.#reader, query));
    const { json: syntax, name } = this.#reader.profile;
    try {
      const [row] = await this.#fetch(statement, parameters, { rows: JSON_CHUNK, isJson: true });
      const json = await toEntities(row, members);
      if (json !== null) this.#skip(json.length);
      return json;
    } catch (error) {
      if (syntax?.isRefused(error) === true) return null;
      throw toReadFault(error, name, table);
    }
  }

  async #nextRows(): Promise<CursorPart> {
    const { statement, parameters } = statementOf(this.#reader, this.#rest);
    const { table, rowShape } = statement;
    try {
      const entities = await this.#fetch(statement, parameters, { rows: ROW_CHUNK, isJson: false });
      const isCut = this.#page.query.bytes?.isOver;
      const isLast = isCut === true || entities.length < ROW_CHUNK;
      const part = { page: { entities, rowShape, isCut }, isLast };
      return this.#counted(part, entities.length);
    } catch (error) {
      throw toReadFault(error, this.#reader.profile.name, table);
    }
  }

  async #fetch(
    statement: Pick<Statement, "sql" | "facts">,
    parameters: readonly unknown[],
    wanted: Fetch,
  ): ReturnType<SnapshotReader["fetch"]> {
    const { snapshot, query, hold } = this.#page;
    // The first fetch begins the statement, and the others continue it.
    this.#running ??= beginStatement(statement, parameters, this.#reader.rows);
    try {
      const { timeout, caller, bytes } = query;
      const patience = { signal: hold.scope.signal, timeout, caller, bytes };
      const { sql, facts } = statement;
      return await inReadTime(patience, (rest) => snapshot.fetch(sql, parameters, wanted, rest, facts));
    } catch (error) {
      this.#running?.fail(error);
      throw error;
    }
  }

  #skip(read: number): void {
    const { skip, top } = this.#rest;
    this.#rest = { ...this.#rest, skip: skip + read, top: top === undefined ? undefined : top - read };
  }
}

/** A statement in a snapshot, whose entities are fetched in chunks. */
interface Cursor {
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
    const isEmpty = (page.json?.length ?? page.entities.length) === 0;
    return isEmpty && page.isCut !== true ? null : readable(page);
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
