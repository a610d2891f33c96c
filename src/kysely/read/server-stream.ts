import { unawaited } from "../../base/maybe.ts";
import { placeAt } from "../../query/place.ts";
import type { KeyContinuation, Page, PageStream, SourceQuery, StreamQuery } from "../../query/source.ts";
import type { StreamingSyntax } from "../connection/streaming-syntax.ts";
import { beginStatement } from "../statement/running-statement.ts";
import { type CursorPart, CursorStream } from "./cursor-stream.ts";
import { KeysetStream } from "./keyset-stream.ts";
import { readPage, statementOf } from "./read-page.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { SqlRows } from "./sql-rows.ts";
import { holdStream, type StreamHold } from "./stream-hold.ts";

/** A page of at most so many rows is one statement. */
const SHORT = 1000;

/** The number of rows of a chunk. */
const CHUNK = 1000;

/** The integer types, whose columns are compared as they are stored. */
const INTEGERS: ReadonlySet<string> = new Set(["Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64"]);

/**
 * Opens a page of a database server. Its first rows are read without a transaction: most pages end with them.
 * @returns null if one statement must read the page
 * @throws as `openPageStream`
 */
export async function openServerStream(
  reader: SqlReader,
  streaming: StreamingSyntax,
  query: StreamQuery,
): Promise<PageStream | null> {
  const { continuation } = query;
  const { cursor } = streaming;
  if (cursor === undefined && !(await seeks(reader, streaming, query))) return null;
  const most = query.top ?? Infinity;
  // A page of which no rows follow needs no place.
  const first = await readPage(reader, { ...query, marked: undefined, top: Math.min(most, SHORT + 1) });
  if ((first.json?.length ?? first.entities.length) <= SHORT) return new WholePage(reader, first);
  const hold = await holdTransaction(reader, streaming, query);
  if (cursor !== undefined) return openCursor(reader, query, cursor, hold);
  return continuation === null ? null : new KeysetStream(reader, { query, continuation, size: CHUNK, hold });
}

type CursorSyntax = NonNullable<StreamingSyntax["cursor"]>;

function openCursor(reader: SqlReader, query: StreamQuery, cursor: CursorSyntax, hold: StreamHold): CursorStream {
  const { statement, parameters } = statementOf(reader, query);
  const { sql, table, width, rowShape } = statement;
  const { signal, transaction } = hold.scope;
  const rows = reader.rows.within(transaction);
  // The transaction limits the time of each statement.
  const patience = { signal, timeout: null };
  // Its commands are parts of one statement.
  const running = beginStatement(sql, parameters);
  const declaring = rows.all({ sql: cursor.declare(sql), table, isInternal: true }, parameters, patience);
  const declared = Promise.resolve(unawaited(declaring));
  const next = async (): Promise<CursorPart> => {
    try {
      await declared;
      const entities = await rows.all({ sql: cursor.fetch(CHUNK), table, width, isInternal: true }, [], patience);
      const isLast = entities.length < CHUNK;
      running?.add(entities.length);
      if (isLast) running?.end();
      return { page: { entities, rowShape }, isLast };
    } catch (error) {
      running?.fail(error);
      throw error;
    }
  };
  return new CursorStream(reader, { hold, next, close: () => running?.end() });
}

/** Whether an index finds the rows after a row, in their order. */
async function seeks(reader: SqlReader, { search }: StreamingSyntax, query: StreamQuery): Promise<boolean> {
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
  return key.every(({ type }) => INTEGERS.has(type.name));
}

/** Opens a transaction that holds a snapshot, where the request reads. */
function holdTransaction(reader: SqlReader, streaming: StreamingSyntax, query: StreamQuery): Promise<StreamHold> {
  const { rows } = reader;
  if (rows.replicated === null) return holdOn(rows, streaming, query);
  return rows.replicated.read(
    query,
    (placed, rest) => holdOn(placed, streaming, { ...query, ...rest }),
    (hold) => hold.end(),
  );
}

async function holdOn(rows: SqlRows, { begin }: StreamingSyntax, query: StreamQuery): Promise<StreamHold> {
  const { streams, signal, timeout = null } = query;
  const leave = await rows.slots.enter(streams.most, signal, timeout);
  const transaction = await rows.begin({ signal, timeout }).catch((error: unknown) => {
    leave();
    throw error;
  });
  const release = (): void => {
    // A lost connection has no transaction any longer.
    transaction.rollback().then(leave, leave);
  };
  const hold = holdStream(query, { transaction, readsElsewhere: true, release });
  try {
    const within = rows.within(transaction);
    for (const sql of begin(timeout)) await within.all({ sql, isInternal: true }, [], { timeout: null });
    return hold;
  } catch (error) {
    hold.end();
    throw error;
  }
}

/** A page that has been read. */
class WholePage implements PageStream {
  readonly #reader: SqlReader;
  #page: Page | null;

  constructor(reader: SqlReader, page: Page) {
    this.#reader = reader;
    this.#page = (page.json?.length ?? page.entities.length) === 0 ? null : page;
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
