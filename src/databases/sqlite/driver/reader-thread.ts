import type { DatabaseSync } from "node:sqlite";
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { Watch, PreparedStatements, type SqliteSettings } from "./prepared-statement.ts";
import { type LengthLimit, readWithin, type SendPart } from "./read-fitting.ts";
import {
  sendError,
  type ReadOutcome,
  type ReadPart,
  type ReadRequest,
  type ReadResult,
  type SnapshotEnd,
  type ThreadData,
} from "./reader-messages.ts";
import { limitLength, MOST_BYTES, openConnection } from "./sqlite-database.ts";

/** The most connections without a snapshot that wait for the next one. */
const MOST_IDLE = 2;

/** Long statements read each page of a table once, so a large cache would only fill memory: 2 MB. */
const SMALL_CACHE = "pragma cache_size = -2000";

interface Connection {
  readonly database: DatabaseSync;
  readonly statements: PreparedStatements<"arrays">;
}

/** The connections of a reader thread: one for single statements, and one for each snapshot. */
class ThreadConnections {
  readonly #settings: SqliteSettings;
  readonly #watch: Watch;
  readonly #usual: Connection;
  readonly #snapshots = new Map<number, Connection>();
  readonly #idle: Connection[] = [];

  constructor(settings: SqliteSettings, watch: Watch) {
    this.#settings = settings;
    this.#watch = watch;
    this.#usual = this.#open();
  }

  /**
   * Returns the connection of a snapshot, or of no snapshot (undefined). A new snapshot begins with its first statement.
   * @throws Error if the file cannot be opened
   */
  of(snapshot: number | undefined): Connection {
    return snapshot === undefined ? this.#usual : this.#connectionOf(snapshot);
  }

  #connectionOf(snapshot: number): Connection {
    const known = this.#snapshots.get(snapshot);
    if (known !== undefined) return known;
    const connection = this.#idle.pop() ?? this.#open();
    connection.database.exec("begin");
    this.#snapshots.set(snapshot, connection);
    return connection;
  }

  /** Ends a snapshot, unless no statement has begun it. */
  end(snapshot: number): void {
    const connection = this.#snapshots.get(snapshot);
    if (connection === undefined) return;
    this.#snapshots.delete(snapshot);
    if (connection.database.isTransaction) connection.database.exec("rollback");
    if (this.#idle.length < MOST_IDLE) this.#idle.push(connection);
    else connection.database.close();
  }

  #open(): Connection {
    const database = openConnection(this.#settings, true, this.#watch);
    database.exec(SMALL_CACHE);
    return { database, statements: new PreparedStatements(database, "arrays", this.#settings.statements) };
  }
}

function lengthLimit(database: DatabaseSync): LengthLimit {
  return {
    longest: MOST_BYTES,
    isPossible: "limits" in database,
    within: (most, read) => {
      if (most >= MOST_BYTES) return read();
      limitLength(database, most);
      try {
        return read();
      } finally {
        limitLength(database, MOST_BYTES);
      }
    },
  };
}

/** Bytes of the heap of a thread between statements. An idle thread would keep them, since it collects no garbage. */
const MOST_KEPT = 96e6;

/** Bytes of the heap of a thread during a statement, if its limit is not lower. */
const MOST_USED = 1e9;

/** The share of the limit of the heap that a statement may use: V8 ends the thread at the limit. */
const SHARE = 0.5;

/** Whether the heap of this thread is so large that another thread should replace it. */
function keepsMuchMemory(): boolean {
  return getHeapStatistics().total_heap_size > MOST_KEPT;
}

/**
 * Whether the running statement uses too much of the heap of this thread. `node:sqlite` keeps the arguments and results of
 * all calls of functions until the statement ends.
 */
function usesMuchMemory(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > Math.min(MOST_USED, limit * SHARE);
}

// The entry of a thread. A reader runs one statement after another on its own read-only connections.

/** Serves the statements of a thread. */
function serveReads({ settings, cancelled }: ThreadData): (request: ReadRequest | SnapshotEnd) => ReadResult | null {
  const flag = new Int32Array(cancelled);
  let current = 0;
  const watch = new Watch({ isCancelled: () => Atomics.load(flag, 0) === current, isFull: usesMuchMemory });
  const connections = new ThreadConnections(settings, watch);
  const run = ({ sql, values, isFirst, room, timeout, remaining, snapshot }: ReadRequest): ReadOutcome => {
    if (timeout !== null) watch.begin(timeout, remaining);
    try {
      const { database, statements } = connections.of(snapshot);
      const sendPart: SendPart = (part) => parentPort?.postMessage({ id: current, part } satisfies ReadPart, []);
      return readWithin(statements.get(sql), values, { isFirst, room, sendPart }, lengthLimit(database));
    } catch (error) {
      return { error: sendError(error) };
    } finally {
      watch.end();
    }
  };
  return (request) => {
    if ("ends" in request) {
      connections.end(request.ends);
      return null;
    }
    const { id } = request;
    current = id;
    return { id, ...run(request), isLarge: keepsMuchMemory() };
  };
}

/** Returns the memory of large cells of a single row, such as a page as JSON, which need not be copied. */
function transferable(result: ReadResult): readonly ArrayBuffer[] {
  if (!("rows" in result) || result.rows.length !== 1) return [];
  return (result.rows[0] ?? []).flatMap((cell) => {
    if (!(cell instanceof Uint8Array) || !(cell.buffer instanceof ArrayBuffer)) return [];
    return cell.byteLength === cell.buffer.byteLength ? [cell.buffer] : [];
  });
}

// The thread that starts this one gives the port and the data.
const read = serveReads(workerData as ThreadData);
parentPort?.on("message", (request: ReadRequest | SnapshotEnd) => {
  const result = read(request);
  if (result !== null) parentPort?.postMessage(result, transferable(result));
});
