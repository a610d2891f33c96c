import { parentPort, workerData } from "node:worker_threads";
import {
  sendError,
  type ReadOutcome,
  type ReadRequest,
  type ReadResult,
  type SnapshotEnd,
  type ThreadData,
} from "./reader-messages.ts";
import { ThreadConnections, keepsMuchMemory, usesMuchMemory } from "./thread-connections.ts";
import { Watch } from "./watch.ts";

// The entry of a thread. A reader runs one statement after another on its own read-only connections.

/** Serves the statements of a thread. */
function serveReads({ settings, cancelled }: ThreadData): (request: ReadRequest | SnapshotEnd) => ReadResult | null {
  const flag = new Int32Array(cancelled);
  let current = 0;
  const watch = new Watch({ isCancelled: () => Atomics.load(flag, 0) === current, isFull: usesMuchMemory });
  const connections = new ThreadConnections(settings, watch);
  const run = ({ sql, values, isFirst, fetch, timeout, remaining, snapshot }: ReadRequest): ReadOutcome => {
    if (timeout !== null) watch.begin(timeout, remaining);
    try {
      if (fetch !== undefined) return { rows: connections.fetch(snapshot, { sql, values }, fetch) };
      const statement = connections.statements(snapshot).get(sql);
      if (!isFirst) return { rows: statement.select(values) };
      const row = statement.selectFirst(values);
      return { rows: row === undefined ? [] : [row] };
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
