import type { Maybe } from "../../base/maybe.ts";
import type { ReadsScope, SourceQuery } from "../../language/query/source.ts";
import { isPatientReader, type SnapshotReader } from "../connection/patient-reader.ts";
import type { SnapshotSyntax } from "../connection/synchronous-reader.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { SqlRows } from "./sql-rows.ts";

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
  if (rows.local !== null) {
    const snapshot = isPatientReader(rows.local) ? rows.local.snapshot() : null;
    return snapshot === null ? read(null) : readSnapshot(rows, snapshot, first, read);
  }
  const { snapshots } = profile.session;
  if (snapshots === undefined || !rows.hasConnections(snapshots)) return read(null);
  return rows.repeated(first, (placed, { signal }) => readTransaction(placed, snapshots, { ...first, signal }, read));
}

/** Whether several statements may read the pages of some queries, and their totals. */
function isSplit({ rows, profile }: SqlReader, [query, ...others]: readonly SourceQuery[]): boolean {
  if (query === undefined || others.length > 0) return others.length > 0;
  const { count, skip, top } = query;
  const hasTotal = top === undefined || (rows.local === null && profile.capabilities.countsWithPage);
  return count && (skip > 0 || !hasTotal);
}

/** Reads in a snapshot of a database in this process, which then ends. */
async function readSnapshot<T>(
  rows: SqlRows,
  snapshot: SnapshotReader,
  { signal }: Pick<SourceQuery, "signal">,
  read: (scope: ReadsScope) => Maybe<T>,
): Promise<T> {
  try {
    return await read({ signal, transaction: rows.reading(snapshot) });
  } finally {
    snapshot.end();
  }
}

/** Reads in a transaction of a server that holds a snapshot, and is then rolled back. */
async function readTransaction<T>(
  rows: SqlRows,
  { begin }: SnapshotSyntax,
  { signal, timeout = null, caller }: Pick<SourceQuery, "signal" | "timeout" | "caller">,
  read: (scope: ReadsScope) => Maybe<T>,
): Promise<T> {
  const transaction = await rows.begin({ signal, timeout, caller });
  try {
    const within = rows.within(transaction);
    for (const sql of begin(timeout)) await within.all({ sql, isInternal: true }, [], { timeout: null });
    return await read({ signal, transaction });
  } finally {
    // A lost connection has no transaction any longer. The response does not wait for the end.
    transaction.rollback().catch(() => undefined);
  }
}
