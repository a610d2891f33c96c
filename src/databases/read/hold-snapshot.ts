import type { Maybe } from "../../base/maybe.ts";
import type { ReadsScope, SourceQuery, StreamQuery } from "../../language/query/source.ts";
import { isPatientReader, type SnapshotReader } from "../connection/patient-reader.ts";
import type { StreamingSyntax } from "../connection/synchronous-reader.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { SqlRows } from "./sql-rows.ts";
import { holdStream, type StreamHold } from "./stream-hold.ts";

/** Reads that end before the response begins hold a snapshot for as long as they take. */
const UNLIMITED: StreamQuery["streams"] = Object.freeze({ most: null, timeout: null });

/**
 * Runs the reads of some queries in one snapshot: see `RelationalSource`. Without snapshots they run one after another: of a
 * database in this process, no other request runs between them.
 * @throws the errors of the reads; as `beginInTime`
 */
export function inOneState<T>(
  reader: SqlReader,
  queries: readonly SourceQuery[],
  read: (scope: ReadsScope | null) => Maybe<T>,
): Maybe<T> {
  const { rows, profile } = reader;
  const [first] = queries;
  if (first === undefined || first.transaction !== undefined || !isSplit(reader, queries)) return read(null);
  const query: StreamQuery = { ...first, continuation: null, streams: UNLIMITED };
  if (rows.local !== null) {
    const snapshot = isPatientReader(rows.local) ? rows.local.snapshot() : null;
    return snapshot === null ? read(null) : readHeld(holdSnapshot(reader, snapshot, query), read);
  }
  const { streaming } = profile;
  if (streaming === undefined || !rows.canStream(streaming)) return read(null);
  return rows.repeated(first, (placed, { signal }) => readHeld(holdOn(placed, streaming, { ...query, signal }), read));
}

/** Whether several statements may read the pages of some queries, and their totals. */
function isSplit({ rows, profile }: SqlReader, [query, ...others]: readonly SourceQuery[]): boolean {
  if (query === undefined || others.length > 0) return others.length > 0;
  const { count, skip, top } = query;
  const hasTotal = top === undefined || (rows.local === null && profile.capabilities.countsWithPage);
  return count && (skip > 0 || !hasTotal);
}

async function readHeld<T>(held: Promise<StreamHold>, read: (scope: ReadsScope | null) => Maybe<T>): Promise<T> {
  const hold = await held;
  try {
    return await read(hold.scope);
  } finally {
    hold.end();
  }
}

/** Holds a snapshot of a database in this process. It ends with the hold. */
export async function holdSnapshot(
  reader: SqlReader,
  snapshot: SnapshotReader,
  query: StreamQuery,
): Promise<StreamHold> {
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

/** Opens a transaction of a server that holds a snapshot, where the request reads. */
export function holdTransaction(
  reader: SqlReader,
  streaming: StreamingSyntax,
  query: StreamQuery,
): Promise<StreamHold> {
  const { rows } = reader;
  if (rows.positioned === null) return holdOn(rows, streaming, query);
  return rows.positioned.read(
    query,
    (placed, { signal }) => holdOn(placed, streaming, { ...query, signal }),
    (hold) => hold.end(),
  );
}

async function holdOn(rows: SqlRows, { begin }: StreamingSyntax, query: StreamQuery): Promise<StreamHold> {
  const { streams, signal, timeout = null, caller } = query;
  const leave = await rows.slots.enter(streams.most, signal, timeout);
  const transaction = await rows.begin({ signal, timeout, caller }).catch((error: unknown) => {
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
