import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { required } from "../../base/required.ts";
import { OwnTablesError, type WritePatience } from "../connection/synchronous-reader.ts";
import type { ChangedRows } from "./changed-rows.ts";
import { sizeOfValues } from "./prepared-statement.ts";
import { threadEntry } from "./reader-threads.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { WriterThread } from "./writer-thread.ts";

/** The characters and bytes of the values of a statement that the main thread stores: 10 milliseconds. */
const MOST_HERE = 1 << 20;

/** The settings of a connection that decide what a write does, or how safe it is. */
const PRAGMAS = [
  "foreign_keys",
  "recursive_triggers",
  "ignore_check_constraints",
  "query_only",
  "secure_delete",
  "synchronous",
  "trusted_schema",
  "wal_autocheckpoint",
] as const;

/**
 * Stores long values in a thread with its own connection: `node:sqlite` converts, copies and returns a text of 29 MB in one
 * call of 300 milliseconds. The main thread waits for the lock of the file, and begins and ends the transaction, so no
 * connection of this process stops it meanwhile.
 *
 * The thread sees what other connections see: the write must be its own transaction in a file with a write-ahead log.
 * @see docs/decisions/0032-long-work-takes-turns.md
 */
export class LongWrites {
  readonly #database: SqliteDatabase;
  #entry: URL | null | undefined;
  #thread: WriterThread | null = null;
  /** Ends when the last write, and the thread that it has replaced, have ended. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Whether a statement with such values runs in the thread, as its own transaction. */
  accepts(values: readonly unknown[]): boolean {
    return sizeOfValues(values) > MOST_HERE && this.isAvailable;
  }

  /** Whether a connection in the thread could replace that of Kysely. */
  get isAvailable(): boolean {
    const { settings, connection, hasSnapshots } = this.#database;
    if (settings.readonly || settings.readerThreads === 0 || !hasSnapshots) return false;
    this.#entry ??= threadEntry();
    return this.#entry !== null && !hasOwnTables(connection);
  }

  /**
   * Runs a statement that changes rows. Its changes are durable when the promise resolves; they are undone if it rejects.
   * @throws the errors of the database; LockTimeoutError and the reason of the signal as `FileLock`
   */
  run(sql: string, values: readonly SQLInputValue[], patience: WritePatience): Promise<ChangedRows> {
    const running = this.#run(sql, values, patience);
    this.#running = running.then(
      () => this.#retireIfLarge(),
      () => this.#retireIfLarge(),
    );
    return running;
  }

  /**
   * Begins a transaction in the thread, for several statements of which some may store long values. End it by `commit` or
   * `rollback`, and then release the thread.
   * @throws as `run`
   */
  async begin(patience: WritePatience): Promise<WriterThread> {
    const { connection, file, lock } = this.#database;
    // The thread would open the other file, or make a new one.
    file?.check();
    const thread = this.#started();
    const begin = `${settingsOf(connection)}; begin immediate`;
    await lock.waitFor(() => thread.run({ command: begin }), patience);
    return thread;
  }

  /**
   * Commits a transaction of several statements.
   * @throws the errors of the database; OwnTablesError if it has made tables that only the connection in the thread has
   */
  async commit(thread: WriterThread, patience: WritePatience): Promise<void> {
    const own = await thread.run({ sql: OWN_TABLES, values: [], selects: true });
    if (own?.rows.length !== 0) throw new OwnTablesError();
    await this.#database.lock.waitFor(() => this.#end(thread), patience);
  }

  /** Commits in the thread, which may have another file: it opened the path later. */
  #end(thread: WriterThread): Promise<unknown> {
    this.#database.file?.check();
    return thread.run({ command: "commit" });
  }

  /** Ends the use of the thread by a transaction. */
  release(thread: WriterThread, isKept: boolean): void {
    if (this.#thread !== thread) return;
    if (!isKept || thread.isTransaction) {
      this.#thread = null;
      this.#running = thread.end();
    } else {
      this.#running = this.#retireIfLarge();
    }
  }

  /** Ends the thread after its write. An open transaction is undone. */
  async close(): Promise<void> {
    await this.#running;
    await this.#thread?.end();
    this.#thread = null;
  }

  async #run(sql: string, values: readonly SQLInputValue[], patience: WritePatience): Promise<ChangedRows> {
    const thread = await this.begin(patience);
    try {
      const changed = await thread.run({ sql, values, selects: false });
      await this.#end(thread);
      return required(changed, "A statement has an effect.");
    } catch (error) {
      // SQLite may have undone the transaction by itself.
      await thread.run({ command: "rollback" }).catch(() => undefined);
      throw error;
    }
  }

  #started(): WriterThread {
    if (this.#thread?.isAlive === true) return this.#thread;
    const entry = required(this.#entry, "A long write requires the file of its thread.");
    this.#thread = new WriterThread(entry, this.#database.settings);
    return this.#thread;
  }

  /** Ends a thread with a large heap, whose garbage nothing else would free. The next write starts another. */
  async #retireIfLarge(): Promise<void> {
    const thread = this.#thread;
    if (thread?.isLarge !== true) return;
    this.#thread = null;
    await thread.end();
  }
}

/** Finds temporary tables, views or triggers, and attached files, which another connection lacks. */
const OWN_TABLES = `select 1 from pragma_database_list where name not in ('main', 'temp')
  union all select 1 from temp.sqlite_schema limit 1`;

function hasOwnTables(connection: DatabaseSync): boolean {
  return connection.prepare(OWN_TABLES).get() !== undefined;
}

/** Returns commands that give another connection the settings of this one. */
function settingsOf(connection: DatabaseSync): string {
  return PRAGMAS.map((name) => {
    const [value] = Object.values(connection.prepare(`pragma ${name}`).get() ?? {});
    return `pragma ${name} = ${String(value)}`;
  }).join("; ");
}
