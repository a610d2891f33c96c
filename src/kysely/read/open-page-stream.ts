import type { Maybe } from "../../base/maybe.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { KeyContinuation, PageStream, SourceQuery, StreamQuery } from "../../query/source.ts";
import { isPatientReader, type PatientReader, type SnapshotReader } from "../connection/patient-reader.ts";
import { readSlots, toExecution } from "../statement/parameter-slot.ts";
import { KeysetStream } from "./keyset-stream.ts";
import { baseOf } from "./read-page.ts";
import { openServerStream } from "./server-stream.ts";
import type { SqlReader } from "./sql-reader.ts";
import { holdStream, type StreamHold } from "./stream-hold.ts";

/** The number of rows of a chunk of a database in this process. */
const LOCAL_CHUNK = 250;
/** The number of rows of a chunk of a reader thread. */
const THREAD_CHUNK = 1000;

/**
 * Opens a page that may be long.
 * @returns null if one statement must read it: it is short, or the database has no index that serves its order
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
  const { continuation } = query;
  if (!isLong(reader, local, query)) return null;
  if (continuation === null || !seeks(reader, local, query, continuation)) return null;
  const snapshot = local.snapshot();
  const page = { query, continuation };
  if (snapshot === null) {
    const hold = holdStream(query, { readsElsewhere: false, release: () => undefined });
    return new KeysetStream(reader, { ...page, size: LOCAL_CHUNK, hold });
  }
  return holdSnapshot(reader, snapshot, query).then((hold) => {
    return new KeysetStream(reader, { ...page, size: THREAD_CHUNK, hold });
  });
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
  const any = continuation.key.map((): PrimitiveValue => 0);
  const later: SourceQuery = { ...query, ...continuation.after(any), skip: 0, top: LOCAL_CHUNK };
  const { sql, slots } = reader.statements.page(later);
  return local.seeks(sql, slots.length);
}

function isLong(reader: SqlReader, local: PatientReader, query: StreamQuery): boolean {
  const { values, top, skip, state, sources } = query;
  const execution = toExecution({ values, top, skip, base: baseOf(reader, sources), state });
  const { sql, slots } = reader.statements.page(query);
  return local.isLong(sql, readSlots(slots, execution));
}
