import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { PreparedStatements } from "./prepared-statement.ts";
import { registerFunctions } from "./sqlite-functions.ts";

/** What a database is opened with. */
export interface SqliteSettings {
  readonly file: string;
  readonly readonly: boolean;
  /** Milliseconds to wait for the lock of another process. */
  readonly busyTimeout: number;
  /** Most prepared statements kept per connection and form of rows. */
  readonly statements: number;
}

/** A connection with its prepared statements. */
interface Opened {
  readonly database: DatabaseSync;
  readonly statements: PreparedStatements<"objects">;
}

/**
 * One SQLite database of this process: a connection for Kysely, and one that only reads for rows at once, each opened
 * when it is first needed.
 *
 * The second one sees what is committed, whatever transaction the first one has under way. A database in memory belongs
 * to its connection, so there both are the same one.
 */
export class SqliteDatabase {
  readonly settings: SqliteSettings;
  #main: Opened | undefined;
  #reading: DatabaseSync | undefined;
  #rows: PreparedStatements<"arrays"> | undefined;
  #writes: PreparedStatements<"arrays"> | undefined;
  #users = 0;
  #isClosed = false;

  constructor(settings: SqliteSettings) {
    this.settings = settings;
  }

  /**
   * The connection for Kysely.
   * @throws Error when the file cannot be opened, or the database was closed
   */
  get connection(): DatabaseSync {
    return this.#opened().database;
  }

  /** The statements of the connection for Kysely, with rows as objects. */
  get statements(): PreparedStatements<"objects"> {
    return this.#opened().statements;
  }

  /** The statements of the connection that reads at once, with rows as arrays. */
  get rows(): PreparedStatements<"arrays"> {
    this.#rows ??= new PreparedStatements(this.#openReading(), "arrays", this.settings.statements);
    return this.#rows;
  }

  /** The statements of the connection for Kysely, with rows as arrays: for writes at once. */
  get writes(): PreparedStatements<"arrays"> {
    this.#writes ??= new PreparedStatements(this.connection, "arrays", this.settings.statements);
    return this.#writes;
  }

  /** Kysely has handed the connection to somebody, who may begin a transaction or a stream. */
  take(): void {
    this.#users += 1;
  }

  /** Whoever had the connection is done. */
  giveBack(): void {
    this.#users -= 1;
  }

  /**
   * Whether a write that is run now on the connection for Kysely is a transaction by itself.
   * @throws Error when the file cannot be opened, or the database was closed
   */
  get isFree(): boolean {
    // A transaction may have been begun by SQL alone, which Kysely knows nothing of.
    return this.#users === 0 && !this.settings.readonly && !this.connection.isTransaction;
  }

  /** Closes both connections with all their statements. Nothing happens a second time. */
  close(): void {
    this.#isClosed = true;
    // The one that may write is the last to go: it moves the write-ahead log into the file and removes it.
    for (const database of [this.#reading, this.#main?.database]) if (database?.isOpen === true) database.close();
    this.#reading = undefined;
    this.#rows = undefined;
    this.#writes = undefined;
    this.#main = undefined;
  }

  #opened(): Opened {
    this.#main ??= this.#open();
    return this.#main;
  }

  #open(): Opened {
    if (this.#isClosed) {
      throw new Error(
        `The SQLite database ${this.settings.file} was closed: make a new sqliteDialect to use it again.`,
      );
    }
    const database = openConnection(this.settings, this.settings.readonly);
    return { database, statements: new PreparedStatements(database, "objects", this.settings.statements) };
  }

  #openReading(): DatabaseSync {
    // First, for it makes the file, and sets the journal mode that lets readers and a writer work side by side.
    const main = this.connection;
    if (main.location() === null) return main;
    this.#reading = openConnection(this.settings, true);
    return this.#reading;
  }
}

function openConnection({ file, busyTimeout }: SqliteSettings, readOnly: boolean): DatabaseSync {
  const { DatabaseSync } = loadNodeSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly, timeout: busyTimeout, enableForeignKeyConstraints: true });
    // The first look into the file tells whether it is a database at all.
    database.exec("pragma schema_version");
    if (!readOnly && database.location() !== null) database.exec("pragma journal_mode = wal");
    // 16 MB, where SQLite's own 2 MB do not hold the pages of a few common requests.
    database.exec("pragma cache_size = -16000");
    registerFunctions(database);
    return database;
  } catch (error) {
    database?.close();
    throw cannotOpen(file, readOnly, error);
  }
}

function cannotOpen(file: string, readOnly: boolean, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = readOnly
    ? "Check that it exists, is a SQLite database and may be read."
    : "Check that its folder exists and may be written to, and that the file is a SQLite database.";
  return new Error(`Cannot open the SQLite database ${file}: ${reason}. ${advice}`, { cause });
}

/** The module `node:sqlite`, as far as it is used. */
export type NodeSqlite = Pick<typeof import("node:sqlite"), "DatabaseSync">;

/** The part of `process` that looks up built-in modules; Node.js has it from 20.16 on. */
export interface BuiltinModules {
  getBuiltinModule?(name: "node:sqlite"): NodeSqlite | undefined;
  readonly version: string;
}

/**
 * The SQLite that is built into Node.js, looked up when it is first needed: a static import would end a program on an
 * older Node.js with a message that names no remedy.
 * @throws Error when this runtime has none
 */
export function loadNodeSqlite(runtime: BuiltinModules = process): NodeSqlite {
  const sqlite = runtime.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new Error(
      `sqliteDialect needs the module node:sqlite, which Node.js has from 22.18 on; this is ${runtime.version}.`,
    );
  }
  return sqlite;
}
