import { type ChangedRows, changeRows } from "./changed-rows.ts";
import { PreparedStatements } from "./prepared-statement.ts";
import { sendError } from "./reader-messages.ts";
import { openConnection, type SqliteSettings } from "./sqlite-database.ts";
import { keepsMuchMemory } from "./thread-memory.ts";
import { Watch } from "./watch.ts";
import type { WriteRequest, WriteResult } from "./writer-messages.ts";

/** Statements with long values are few. */
const STATEMENTS = 8;

interface Connection {
  readonly database: ReturnType<typeof openConnection>;
  readonly statements: PreparedStatements<"objects">;
}

/**
 * Returns the function that answers the requests to a writer thread, one after another, on its own connection. A file that
 * another connection has locked is an error at once: the main thread waits, and asks again.
 */
export function serveWrites(settings: SqliteSettings): (request: WriteRequest) => WriteResult {
  let opened: Connection | null = null;
  const open = (): Connection => {
    const database = openConnection({ ...settings, busyTimeout: 0 }, false, new Watch());
    return { database, statements: new PreparedStatements(database, "objects", STATEMENTS) };
  };
  const run = (request: WriteRequest): ChangedRows | null => {
    if ("ends" in request) {
      opened?.database.close();
      opened = null;
      return null;
    }
    opened ??= open();
    if ("sql" in request) return changeRows(opened.statements.get(request.sql), request.values);
    opened.database.exec(request.command);
    return null;
  };
  return (request) => {
    const { id } = request;
    try {
      return { id, changed: run(request), isLarge: keepsMuchMemory() };
    } catch (error) {
      return { id, error: sendError(error), isLarge: keepsMuchMemory() };
    }
  };
}
