import { type Maybe, unawaited, chain } from "../../base/maybe.ts";
import { isInteger } from "../../edm/primitive-type.ts";
import { lastValuesOf } from "../../language/query/last-values.ts";
import { placeAt } from "../../language/query/place.ts";
import type { KeyContinuation, PageStream, SourceQuery, StreamQuery, Page } from "../../language/query/source.ts";
import { isPatientReader, type PatientReader } from "../connection/patient-reader.ts";
import type { StreamingSyntax } from "../connection/synchronous-reader.ts";
import { beginStatement } from "../statement/parameter-slot.ts";
import { holdSnapshot, holdTransaction } from "./hold-snapshot.ts";
import { statementOf, readPage } from "./read-page.ts";
import { CursorStream, objectStatement, SnapshotCursor, type CursorPart } from "./snapshot-cursor.ts";
import type { SqlReader } from "./sql-reader.ts";
import { holdStream, type StreamHold } from "./stream-hold.ts";

/** The number of rows of a chunk of a database in this process. */
const LOCAL_CHUNK = 250;
/** The number of rows of a chunk of a reader thread. */
const THREAD_CHUNK = 1000;
/** The number of rows of a chunk that a reader thread returns with expansions. */
const EXPANDED_CHUNK = 250;

/**
 * Opens a page that may be long.
 * @returns null if one statement must read it: it is short, or the database has neither a cursor nor an index for its order
 * @throws as `readPage`; ODataError `ServiceUnavailable` if too many streams are open
 * @see docs/decisions/0029-streaming.md
 */
export function openPageStream(reader: SqlReader, query: StreamQuery): Maybe<PageStream | null> {
  const { local } = reader.rows;
  if (query.transaction !== undefined) return null;
  if (local !== null) return isPatientReader(local) ? openLocal(reader, local, query) : null;
  const { streaming } = reader.profile;
  if (streaming === undefined || !reader.rows.canStream(streaming)) return null;
  return openServerStream(reader, streaming, query);
}

function openLocal(reader: SqlReader, local: PatientReader, query: StreamQuery): Maybe<PageStream | null> {
  const { statement, parameters } = statementOf(reader, query);
  if (!local.isLong(statement.sql, parameters, statement.facts)) return null;
  const page = keysetPage(reader, local, query);
  const snapshot = local.snapshot();
  if (snapshot === null) {
    if (page === null) return null;
    const hold = holdStream(query, { readsElsewhere: false, release: () => undefined });
    return new KeysetStream(reader, { ...page, size: LOCAL_CHUNK, hold });
  }
  return holdSnapshot(reader, snapshot, query).then((hold) => {
    if (page !== null && !isBetterByCursor(reader, page)) {
      return new KeysetStream(reader, { ...page, size: chunkOf(query), hold });
    }
    const cursor = new SnapshotCursor(reader, { snapshot, query, hold });
    return new CursorStream(reader, { hold, next: () => cursor.next(), close: () => cursor.close() });
  });
}

/** Whether chunks by key would be rows, because their JSON does not mark where they end, but a cursor reads JSON. */
function isBetterByCursor(
  reader: SqlReader,
  { query, continuation }: Pick<KeysetPage, "query" | "continuation">,
): boolean {
  if (query.json === undefined || objectStatement(reader, query) === null) return false;
  const chunk: SourceQuery = { ...query, marked: { order: continuation.order, row: 0 } };
  return reader.statements.json(chunk, query.json) === null;
}

/** Returns the number of rows of a chunk, smaller if each row may have many related ones. */
function chunkOf({ json }: StreamQuery): number {
  return json !== undefined && json.expanded.length > 0 ? EXPANDED_CHUNK : THREAD_CHUNK;
}

/** Returns the page in the order of its key; null if no index finds the rows after a row, in their order. */
function keysetPage(
  reader: SqlReader,
  local: PatientReader,
  query: StreamQuery,
): Pick<KeysetPage, "query" | "continuation"> | null {
  const { continuation } = query;
  return continuation !== null && seeks(reader, local, query, continuation) ? { query, continuation } : null;
}

/** Whether the database finds the rows after a row by an index, in their order. */
function seeks(reader: SqlReader, local: PatientReader, query: StreamQuery, continuation: KeyContinuation): boolean {
  // Values do not change the plan of a statement.
  const after = placeAt(
    continuation.order,
    continuation.key.map(() => 0),
  );
  const later: SourceQuery = { ...query, after, skip: 0, top: LOCAL_CHUNK };
  const { sql, slots } = reader.statements.page(later);
  return local.seeks(sql, slots.length);
}

/** A page of at most so many rows is one statement. */
const SHORT = 1000;

/** The number of rows of a chunk. */
const CHUNK = 1000;

/**
 * Opens a page of a database server. Its first rows are read without a transaction: most pages end with them.
 * @returns null if one statement must read the page
 * @throws as `openPageStream`
 */
async function openServerStream(
  reader: SqlReader,
  streaming: StreamingSyntax,
  query: StreamQuery,
): Promise<PageStream | null> {
  const { continuation } = query;
  const { cursor } = streaming;
  if (cursor === undefined && !(await seeksOnServer(reader, streaming, query))) return null;
  const most = query.top ?? Infinity;
  // The rows of a longer page are read again.
  const bytes = query.bytes?.part();
  // A page without following rows needs no place.
  const first = await readPage(reader, { ...query, marked: undefined, top: Math.min(most, SHORT + 1), bytes });
  if ((first.json?.length ?? first.entities.length) <= SHORT) {
    if (bytes !== undefined) query.bytes?.keep(bytes);
    return new WholePage(reader, first);
  }
  bytes?.drop();
  const hold = await holdTransaction(reader, streaming, query);
  if (cursor !== undefined) return openCursor(reader, query, cursor, hold);
  return continuation === null ? null : new KeysetStream(reader, { query, continuation, size: CHUNK, hold });
}

type CursorSyntax = NonNullable<StreamingSyntax["cursor"]>;

function openCursor(reader: SqlReader, query: StreamQuery, cursor: CursorSyntax, hold: StreamHold): CursorStream {
  const { statement, parameters } = statementOf(reader, query);
  const { sql, table, width, rowShape, facts } = statement;
  const { signal, transaction } = hold.scope;
  const rows = reader.rows.within(transaction);
  const { timeout, caller } = query;
  const patience = { signal, timeout, caller };
  // The commands of the cursor are parts of one statement.
  const running = beginStatement(statement, parameters, reader.rows);
  const declaring = rows.all({ sql: cursor.declare(sql), table, isInternal: true }, parameters, patience);
  const declared = Promise.resolve(unawaited(declaring));
  const next = async (): Promise<CursorPart> => {
    try {
      await declared;
      const fetch = { sql: cursor.fetch(CHUNK), table, width, facts, isInternal: true } as const;
      const entities = await rows.all(fetch, [], { ...patience, bytes: query.bytes });
      const isCut = query.bytes?.isOver;
      const isLast = isCut === true || entities.length < CHUNK;
      running?.add(entities.length);
      if (isLast) running?.end();
      return { page: { entities, rowShape, isCut }, isLast };
    } catch (error) {
      running?.fail(error);
      throw error;
    }
  };
  return new CursorStream(reader, { hold, next, close: () => running?.end() });
}

/** Whether an index finds the rows after a row, in their order. */
async function seeksOnServer(reader: SqlReader, { search }: StreamingSyntax, query: StreamQuery): Promise<boolean> {
  const { continuation } = query;
  if (search === undefined || continuation === null || !isOfIntegers(continuation)) return false;
  // The plan of a statement for any other row is the same.
  const after = placeAt(
    continuation.order,
    continuation.key.map(() => "0"),
  );
  const { statement, parameters } = statementOf(reader, { ...query, after, skip: 0, top: CHUNK });
  const { signal, timeout } = query;
  try {
    return search.isServed(
      await reader.rows.all({ sql: search.explain(statement.sql), isInternal: true }, parameters, { signal, timeout }),
    );
  } catch {
    // The statement itself reports the error.
    return false;
  }
}

function isOfIntegers({ key }: KeyContinuation): boolean {
  return key.every(({ type }) => isInteger(type));
}

/** A page that has been read. */
class WholePage implements PageStream {
  readonly #reader: SqlReader;
  #page: Page | null;

  constructor(reader: SqlReader, page: Page) {
    this.#reader = reader;
    const isEmpty = (page.json?.length ?? page.entities.length) === 0;
    this.#page = isEmpty && page.isCut !== true ? null : page;
  }

  next(): Page | null {
    const page = this.#page;
    this.#page = null;
    return page;
  }

  read(query: SourceQuery): ReturnType<PageStream["read"]> {
    return readPage(this.#reader, query);
  }

  close(): void {
    this.#page = null;
  }
}

/** A page that is read in chunks by key. */
interface KeysetPage {
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
class KeysetStream implements PageStream {
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

  /** Returns the query for the rows after the rows already read, if the place of the last row is unknown. */
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
    const isLast = page.isCut === true || length < this.#chunkSize() || length === this.#left;
    if (isLast) {
      this.#next = null;
      // A response that counts its entities does so in the same snapshot, before its first byte.
      return length === 0 && page.isCut !== true ? null : page;
    }
    const values = lastValuesOf(page);
    this.#left -= length;
    // Only rows show which expansion exceeds the limit: a longer chunk of JSON becomes a chunk of rows.
    if (this.#entitiesLeft !== null) this.#entitiesLeft -= page.json?.total ?? length;
    this.#length += length;
    this.#next =
      values === null ? this.#atOffset(query) : { ...query, skip: 0, after: placeAt(continuation.order, values) };
    if (hold.readsElsewhere) this.#ahead = unawaited(this.#read() ?? page);
    return page;
  }
}
