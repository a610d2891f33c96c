import { SqliteIntrospector, SqliteQueryCompiler, type Dialect } from "kysely";
import type { ConfigurationFault } from "../../../base/errors/configuration-error.ts";
import {
  checkDialect,
  type DialectOptions,
  oneOf,
  shown,
  SWITCH,
  wholeNumber,
} from "../../connection/dialect-options.ts";
import type { JournalMode, SqliteSettings, Synchronous } from "./prepared-statement.ts";
import { cutsTexts, SqliteDatabase } from "./sqlite-database.ts";
import { SynchronousSqliteAdapter, SqliteDriver } from "./sqlite-driver.ts";
import { SqliteReads } from "./sqlite-reads.ts";

/** How a SQLite file is used. */
export interface SqliteOptions {
  /** Opens an existing file read-only. Default false. */
  readonly readonly?: boolean | undefined;
  /**
   * Milliseconds to wait while another connection locks the file, default 5000; 0 reports the lock at once. Writes wait
   * without stopping the process. Opening a locked file stops it, and so do reads of a file without a write-ahead log.
   * @see docs/reference/table-writes.md, While another process writes
   */
  readonly busyTimeout?: number | undefined;
  /**
   * When a commit waits for the disk. Default `"full"`: a committed write survives the loss of power. With `"normal"`, the
   * last commits may be lost; the file stays valid. With `"off"`, the file may become invalid. Writes of requests that arrive
   * together share one commit.
   * @see https://sqlite.org/pragma.html#pragma_synchronous
   */
  readonly synchronous?: Synchronous | undefined;
  /**
   * With `"wal"`, the default, a writable file gets a write-ahead log and keeps it after the service has ended. With
   * `"keep"`, the file stays as it is: without a write-ahead log, readers and writers then wait for one another, and long
   * reads stop the process. Files that are opened read-only always stay as they are.
   * @see docs/reference/table-writes.md, The journal of a file
   */
  readonly journalMode?: JournalMode | undefined;
  /** The maximum number of cached prepared statements, each for reads, synchronous writes and Kysely. Default 200. */
  readonly statements?: number | undefined;
  /**
   * The maximum number of threads for long reads of a service, default 2. 0: long reads stop the whole process.
   */
  readonly readerThreads?: number | undefined;
  /** The maximum number of long reads that wait for a thread, default 100. Above it, the service returns 503. */
  readonly maxQueuedQueries?: number | undefined;
}

/** The longest wait in SQLite, which uses 32 bits. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Each thread needs 11 MB, and more threads than processors make no read faster. */
const MAX_THREADS = 64;

const SYNCHRONOUS: readonly Synchronous[] = ["off", "normal", "full", "extra"];
const JOURNAL_MODES: readonly JournalMode[] = ["wal", "keep"];

const OPTIONS: DialectOptions<SqliteOptions> = {
  readonly: SWITCH,
  busyTimeout: wholeNumber(0, MAX_TIMEOUT, "a whole number of milliseconds"),
  synchronous: oneOf(SYNCHRONOUS, `one of ${SYNCHRONOUS.map(shown).join(", ")}`),
  journalMode: oneOf(JOURNAL_MODES, JOURNAL_MODES.map(shown).join(" or ")),
  statements: wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number of 1 or more"),
  readerThreads: wholeNumber(0, MAX_THREADS, `a whole number of 0 to ${String(MAX_THREADS)}`),
  maxQueuedQueries: wholeNumber(0, Number.MAX_SAFE_INTEGER, "a whole number"),
};

/**
 * Makes a Kysely dialect for the SQLite that is built into Node.js: `new Kysely({ dialect: sqliteDialect("shop.db") })`.
 *
 * The first statement opens the file and creates it if necessary, with a write-ahead log (unless `journalMode` is `"keep"`) and enforced foreign keys.
 * `":memory:"` is a database that lives as long as the Kysely instance. Kysely's statements take turns on one
 * connection; a stream yields to other work every 500 rows. Single-statement writes of a service run at once on that
 * connection while it is free, and are committed together with the others of the same turn of the event loop. Reads of
 * a service run synchronously on a separate connection, so they never see rows of an open transaction, temporary tables
 * or attached files, except in an in-memory database, which has only one connection.
 *
 * A boolean is stored as 0 or 1, a Date as UTC text, a whole number as INTEGER. Integers are returned as numbers, beyond
 * ±(2^53 - 1) as bigint, and never rounded. Any SQL can use the functions `odata_lower`, `odata_upper` and
 * `odata_decimal_*`.
 * @throws ConfigurationError for an invalid option; the first statement throws an Error if the file cannot be opened or
 *   this Node.js has no `node:sqlite`
 * @see docs/reference/tables.md
 */
export function sqliteDialect(file: string, options: SqliteOptions = {}): Dialect {
  const database = new SqliteDatabase(checkSettings(file, options));
  const reads = new SqliteReads(database);
  return {
    createDriver: () => new SqliteDriver(database, reads),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SynchronousSqliteAdapter(reads, cutsTexts),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Fills in the defaults. @throws ConfigurationError with all faults */
function checkSettings(file: string, options: SqliteOptions): SqliteSettings {
  checkDialect("sqliteDialect", OPTIONS, options, faultsOfFile(file));
  const { readonly = false, busyTimeout = 5000, synchronous = "full", statements = 200 } = options;
  const { readerThreads = 2, maxQueuedQueries = 100, journalMode = "wal" } = options;
  return { file, readonly, busyTimeout, synchronous, journalMode, statements, readerThreads, maxQueuedQueries };
}

function faultsOfFile(file: unknown): readonly ConfigurationFault[] {
  if (typeof file === "string" && file !== "") return [];
  return [{ message: `the file cannot be ${shown(file)}.`, fix: 'Give the path of a file, or ":memory:".' }];
}
