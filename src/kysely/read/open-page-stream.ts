import type { Maybe } from "../../base/maybe.ts";
import { isPatientReader, type PatientReader, type SnapshotReader } from "../../connection/patient-reader.ts";
import { placeAt } from "../../query/place.ts";
import type { KeyContinuation, PageStream, SourceQuery, StreamQuery } from "../../query/source.ts";
import { statementOf } from "./read-page.ts";
import { type KeysetPage, KeysetStream, openServerStream } from "./server-stream.ts";
import { CursorStream, objectStatement, SnapshotCursor } from "./snapshot-cursor.ts";
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

async function holdSnapshot(reader: SqlReader, snapshot: SnapshotReader, query: StreamQuery): Promise<StreamHold> {
  const { rows } = reader;
  const { streams, signal, timeout } = query;
  try {
    const leave = await rows.slots.enter(streams.most, signal, timeout);
    const release = (): void => {
      snapshot.end();
      leave();
    };
    return holdStream(query, { transaction: rows.reading(snapshot), readsElsewhere: true, release });
  } catch (error) {
    snapshot.end();
    throw error;
  }
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
