import { parentPort, workerData } from "node:worker_threads";
import { PreparedStatements } from "./prepared-statement.ts";
import { sendError, type ReadRequest, type ReadResult, type ThreadData } from "./reader-messages.ts";
import { openConnection } from "./sqlite-database.ts";
import { Watch } from "./watch.ts";

// The entry of a reader thread: it runs one statement after another on its own read-only connection.

/** Serves the statements of a thread. */
function serveReads({ settings, cancelled }: ThreadData): (request: ReadRequest) => ReadResult {
  const flag = new Int32Array(cancelled);
  let current = 0;
  const watch = new Watch(() => Atomics.load(flag, 0) === current);
  const database = openConnection(settings, true, watch);
  const statements = new PreparedStatements(database, "arrays", settings.statements);
  return ({ id, sql, values, isFirst, timeout, remaining }) => {
    current = id;
    if (timeout !== null) watch.begin(timeout, remaining);
    try {
      const statement = statements.get(sql);
      if (!isFirst) return { id, rows: statement.select(values) };
      const row = statement.selectFirst(values);
      return { id, rows: row === undefined ? [] : [row] };
    } catch (error) {
      return { id, error: sendError(error) };
    } finally {
      watch.end();
    }
  };
}

// The thread that starts this one gives both.
const read = serveReads(workerData as ThreadData);
parentPort?.on("message", (request: ReadRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js has no origin
  parentPort?.postMessage(read(request));
});
