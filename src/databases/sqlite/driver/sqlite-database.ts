import type { DatabaseSync, StatementSync } from "node:sqlite";
import { messageOf } from "../../../base/message-of.ts";
import type { WritePatience } from "../../connection/synchronous-reader.ts";
import { FileLock, OpenedFile } from "./opened-file.ts";
import { PreparedStatements, type SqliteSettings, Watch } from "./prepared-statement.ts";
import { registerAggregates } from "./sqlite-aggregates.ts";
import { registerFunctions } from "./sqlite-functions.ts";
import { WriteGroup } from "./write-group.ts";

/** A value of more bytes is read in a reader thread: its conversion to a string takes long. */
export const MOST_BYTES_HERE: number = 1 << 22;

/** The limit of SQLite itself. @see https://sqlite.org/limits.html */
export const MOST_BYTES = 1_000_000_000;

/** A connection with its prepared statements. */
interface Opened {
  readonly database: DatabaseSync;
  readonly statements: PreparedStatements<"objects">;
  readonly group: WriteGroup | null;
  readonly lock: FileLock;
  readonly file: OpenedFile | null;
}

/**
 * One SQLite database of this process: a connection for Kysely, and a read-only connection for synchronous reads. Each is
 * opened on first use.
 *
 * The second connection sees only committed rows, whatever transaction is open on the first. An in-memory database belongs
 * to its connection, so there both connections are the same.
 */
export class SqliteDatabase {
  readonly settings: SqliteSettings;
  #main: Opened | undefined;
  #reading: DatabaseSync | undefined;
  #rows: PreparedStatements<"arrays"> | undefined;
  #writes: PreparedStatements<"arrays"> | undefined;
  readonly #mainWatch = new Watch();
  readonly #readingWatch = new Watch();
  #users = 0;
  /** The longest wait of the request that now needs the connection. */
  patience: WritePatience | undefined;
  #isClosed = false;

  constructor(settings: SqliteSettings) {
    this.settings = settings;
  }

  /**
   * The connection for Kysely.
   * @throws Error if the file cannot be opened or the database was closed
   */
  get connection(): DatabaseSync {
    return this.#opened().database;
  }

  /** The statements of the connection for Kysely, with rows as objects. */
  get statements(): PreparedStatements<"objects"> {
    return this.#opened().statements;
  }

  /** The statements of the connection for synchronous reads, with rows as arrays. */
  get rows(): PreparedStatements<"arrays"> {
    this.#rows ??= new PreparedStatements(this.reading, "arrays", this.settings.statements);
    return this.#rows;
  }

  /** The connection for synchronous reads. */
  get reading(): DatabaseSync {
    this.#reading ??= this.#openReading();
    return this.#reading;
  }

  /** Runs a synchronous read whose values may be so long that other reads would run in a reader thread. */
  atAnyLength<T>(read: () => T): T {
    return this.atLength(Infinity, read);
  }

  /** Runs a synchronous read that fails if it meets a value of more bytes. */
  atLength<T>(most: number, read: () => T): T {
    const { reading, isFile } = this;
    if (!isFile && most >= MOST_BYTES) return read();
    limitLength(reading, most);
    try {
      return read();
    } finally {
      limitLength(reading, isFile ? MOST_BYTES_HERE : MOST_BYTES);
    }
  }

  /** The limit of guarded statements on the connection for Kysely. */
  get watch(): Watch {
    return this.#mainWatch;
  }

  /** The limit of guarded statements on the connection for synchronous reads. */
  get readingWatch(): Watch {
    return this.isFile ? this.#readingWatch : this.#mainWatch;
  }

  /** Whether further connections see the same rows: not those of a database in memory. */
  get isFile(): boolean {
    return this.connection.location() !== null;
  }

  /** Whether reads on other connections block no write of this one. */
  get isShared(): boolean {
    return this.isFile && (this.settings.readonly || this.hasSnapshots);
  }

  /** Whether a read transaction sees a snapshot, and blocks no write of any process. */
  get hasSnapshots(): boolean {
    return this.isFile && this.connection.prepare("pragma journal_mode").get()?.["journal_mode"] === "wal";
  }

  /** The statements of the connection for Kysely, with rows as arrays, for synchronous writes. */
  get writes(): PreparedStatements<"arrays"> {
    this.#writes ??= new PreparedStatements(this.connection, "arrays", this.settings.statements);
    return this.#writes;
  }

  /**
   * The writes that share a transaction; null for an in-memory database, whose single connection would show them to reads
   * before they are committed.
   */
  get group(): WriteGroup | null {
    return this.#opened().group;
  }

  /** The lock of the file, which other connections may hold. */
  get lock(): FileLock {
    return this.#opened().lock;
  }

  /** The file of writes; null for a database without one, and for a file that is only read. */
  get file(): OpenedFile | null {
    return this.#opened().file;
  }

  /**
   * Records that the connection is in use, possibly for a transaction or a stream. Commits the group of writes.
   * @throws the error of the database if a group can neither be committed nor undone
   */
  take(): void {
    this.#main?.group?.settle();
    this.#users += 1;
  }

  /** Records that a use of the connection has ended. */
  giveBack(): void {
    this.#users -= 1;
  }

  /**
   * Whether a write on the connection for Kysely would now be its own transaction.
   * @throws Error if the file cannot be opened or the database was closed
   */
  get isFree(): boolean {
    // Raw SQL may have begun a transaction that Kysely does not know.
    if (this.#users > 0 || this.settings.readonly) return false;
    const { database, group } = this.#opened();
    return group?.isOpen === true || !database.isTransaction;
  }

  /** Closes both connections with all their statements. Further calls have no effect. */
  close(): void {
    this.#isClosed = true;
    this.#main?.group?.commit();
    // The writable connection closes last: it moves the write-ahead log into the file and removes it.
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
    const database = openConnection(this.settings, this.settings.readonly, this.#mainWatch);
    const statements = new PreparedStatements(database, "objects", this.settings.statements);
    const isFile = database.location() !== null;
    const lock = new FileLock(database, isFile && !this.settings.readonly ? this.settings.busyTimeout : 0);
    const file = OpenedFile.of(database, this.settings);
    return { database, statements, lock, file, group: isFile ? groupOf(database, lock, file) : null };
  }

  #openReading(): DatabaseSync {
    // The main connection opens first: it creates the file and sets its journal mode.
    const main = this.connection;
    if (!this.isFile) return main;
    const reading = openConnection(this.settings, true, this.#readingWatch);
    limitLength(reading, MOST_BYTES_HERE);
    return reading;
  }
}

/** Makes statements fail that meet a value of more bytes. Node.js 22 cannot, so it reads such values like any others. */
export function limitLength(database: DatabaseSync, most: number): void {
  if ("limits" in database) database.limits.length = most;
}

function groupOf(database: DatabaseSync, lock: FileLock, file: OpenedFile | null): WriteGroup {
  const commands = new Map<string, StatementSync>();
  return new WriteGroup({
    get isTransaction() {
      return database.isTransaction;
    },
    command(sql) {
      let statement = commands.get(sql);
      if (statement === undefined) commands.set(sql, (statement = database.prepare(sql)));
      file?.checkBefore(sql);
      if (sql === "begin immediate" || sql === "commit") lock.atOnce(() => statement.run());
      else statement.run();
    },
  });
}

/**
 * Opens a connection with the functions of statements.
 * @param watch the limit of its guarded statements
 * @throws Error if the file cannot be opened
 */
export function openConnection(
  { file, busyTimeout, synchronous, journalMode }: SqliteSettings,
  readOnly: boolean,
  watch: Watch,
): DatabaseSync {
  const { DatabaseSync } = loadNodeSqlite();
  let database: DatabaseSync | undefined;
  try {
    const options = { readOnly, timeout: busyTimeout, enableForeignKeyConstraints: true };
    // Each result contains the last row id, even that of `begin`: as a number, it would be rounded or an error.
    database = new DatabaseSync(file, { ...options, readBigInts: true });
    // The first access to the file fails if it is not a database.
    database.exec("pragma schema_version");
    if (!readOnly && database.location() !== null) {
      if (journalMode === "wal") database.exec("pragma journal_mode = wal");
      database.exec(`pragma synchronous = ${synchronous}`);
    }
    // 16 MB: the default of 2 MB is too small for the pages of a few common requests.
    database.exec("pragma cache_size = -16000");
    registerFunctions(database, readOnly);
    registerAggregates(database);
    // Not deterministic, so that SQLite calls it for each row.
    database.function("odata_alive", { deterministic: false }, watch.alive);
    return database;
  } catch (error) {
    database?.close();
    throw cannotOpen(file, readOnly, error);
  }
}

function cannotOpen(file: string, readOnly: boolean, cause: unknown): Error {
  const reason = messageOf(cause);
  const advice = readOnly
    ? "Check that it exists, is a SQLite database and may be read."
    : "Check that its folder exists and may be written to, and that the file is a SQLite database.";
  return new Error(`Cannot open the SQLite database ${file}: ${reason}. ${advice}`, { cause });
}

/** The part of `node:sqlite` that is used. */
type NodeSqlite = Pick<typeof import("node:sqlite"), "DatabaseSync">;

/** The part of `process` that looks up built-in modules, available from Node.js 20.16. */
interface BuiltinModules {
  getBuiltinModule?(name: "node:sqlite"): NodeSqlite | undefined;
  readonly version: string;
}

/**
 * Returns the SQLite that is built into Node.js. It is looked up on first use, because a static import would end a program on
 * an older Node.js with an unhelpful message.
 * @throws Error if this runtime has none
 */
export function loadNodeSqlite(runtime: BuiltinModules = process): NodeSqlite {
  const sqlite = runtime.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new Error(
      `sqliteDialect requires the module node:sqlite of Node.js 22.18 or later; this is ${runtime.version}.`,
    );
  }
  return sqlite;
}

/** Returns whether `node:sqlite` ends a text at U+0000. A runtime without it reports that when a statement runs. */
export function cutsTexts(runtime: BuiltinModules = process): boolean {
  const sqlite = runtime.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) return false;
  const database = new sqlite.DatabaseSync(":memory:");
  try {
    return database.prepare("select char(97, 0, 97) as text").get()?.["text"] === "a";
  } finally {
    database.close();
  }
}
