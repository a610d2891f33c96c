import type { SQLInputValue } from "node:sqlite";
import { type ChangedRows, changeRows, selectRows } from "./changed-rows.ts";
import { OpenedFile } from "./opened-file.ts";
import { type PreparedStatement, PreparedStatements, type RowOf } from "./prepared-statement.ts";
import { sendError } from "./reader-messages.ts";
import { openConnection } from "./sqlite-database.ts";
import type { SqliteSettings } from "./sqlite-settings.ts";
import { keepsMuchMemory } from "./thread-memory.ts";
import { MAX_TIME_HERE, Watch } from "./watch.ts";
import type { WriteRequest, WriteResult } from "./writer-messages.ts";

/** A statement that is read row by row. */
interface Cursor {
  readonly statement: PreparedStatement<"objects">;
  readonly rows: Generator<RowOf<"objects">, void, undefined>;
}

/** The writable connection of a thread. */
class WriterConnection {
  readonly database: ReturnType<typeof openConnection>;
  readonly #file: OpenedFile | null;
  readonly #watch = new Watch();
  readonly #statements: PreparedStatements<"objects">;
  readonly #cursors = new Map<number, Cursor>();

  constructor(settings: SqliteSettings) {
    this.database = openConnection({ ...settings, busyTimeout: 0 }, false, this.#watch);
    this.#file = OpenedFile.of(this.database, settings);
    this.#statements = new PreparedStatements(this.database, "objects", settings.statements);
  }

  run(request: WriteRequest): ChangedRows | null {
    if ("command" in request) {
      this.#file?.checkBefore(request.command);
      this.database.exec(request.command);
    } else if ("closes" in request) {
      this.#close(request.closes);
    } else if ("cursor" in request) {
      return { rows: this.#fetch(request.cursor, request.sql, request), numAffectedRows: 0n };
    } else if ("sql" in request) {
      return this.#runStatement(request.sql, request.values, request.selects);
    }
    return null;
  }

  #runStatement(sql: string, values: readonly SQLInputValue[], selects: boolean): ChangedRows {
    this.#watch.begin(MAX_TIME_HERE);
    try {
      const statement = this.#statements.get(sql);
      return selects && statement.hasRows ? selectRows(statement, values) : changeRows(statement, values);
    } finally {
      this.#watch.end();
    }
  }

  #fetch(
    cursor: number,
    sql: string,
    { values, rows: most }: { readonly values: readonly SQLInputValue[]; readonly rows: number },
  ): RowOf<"objects">[] {
    let open = this.#cursors.get(cursor);
    if (open === undefined) {
      const statement = this.#statements.take(sql);
      this.#cursors.set(cursor, (open = { statement, rows: statement.iterate(values) }));
    }
    const fetched: RowOf<"objects">[] = [];
    while (fetched.length < most) {
      const next = open.rows.next();
      if (next.done !== true) {
        fetched.push(next.value);
        continue;
      }
      this.#cursors.delete(cursor);
      this.#statements.giveBack(open.statement);
      break;
    }
    return fetched;
  }

  #close(cursor: number): void {
    this.#cursors.get(cursor)?.rows.return();
    this.#cursors.delete(cursor);
  }
}

/**
 * Returns the function that answers the requests to a writer thread, one after another, on its own connection. A file that
 * another connection has locked is an error at once: the main thread waits, and asks again.
 */
export function serveWrites(settings: SqliteSettings): (request: WriteRequest) => WriteResult {
  let opened: WriterConnection | null = null;
  const run = (request: WriteRequest): ChangedRows | null => {
    if ("ends" in request) {
      opened?.database.close();
      opened = null;
      return null;
    }
    opened ??= new WriterConnection(settings);
    return opened.run(request);
  };
  const ended = (id: number): Pick<WriteResult, "id" | "isLarge" | "isTransaction"> => {
    return { id, isLarge: keepsMuchMemory(), isTransaction: opened?.database.isTransaction === true };
  };
  return (request) => {
    const { id } = request;
    try {
      const changed = run(request);
      return { ...ended(id), changed };
    } catch (error) {
      return { ...ended(id), error: sendError(error) };
    }
  };
}
