import { SqliteIntrospector, SqliteQueryCompiler, type Dialect } from "kysely";
import { ConfigurationError, type ConfigurationFault } from "../../errors/configuration-error.ts";
import { nearestName } from "../../errors/nearest-name.ts";
import { SqliteDatabase, type SqliteSettings } from "./sqlite-database.ts";
import { SynchronousSqliteAdapter, SqliteDriver } from "./sqlite-driver.ts";

/** How a SQLite file is used. */
export interface SqliteOptions {
  /** Opens the file for reading alone; it must exist. Default false. */
  readonly readonly?: boolean | undefined;
  /**
   * Milliseconds to wait while another process holds the lock on the file, default 5000. This whole process waits.
   * @see https://sqlite.org/pragma.html#pragma_busy_timeout
   */
  readonly busyTimeout?: number | undefined;
  /** Most prepared statements kept for reads, for writes at once, and for those of Kysely: for each, default 200. */
  readonly statements?: number | undefined;
}

/** The longest wait that SQLite, which counts with 32 bits, knows. */
const MAX_TIMEOUT = 2 ** 31 - 1;

const OPTIONS: readonly (keyof SqliteOptions)[] = ["readonly", "busyTimeout", "statements"];

/**
 * A Kysely dialect for the SQLite that is built into Node.js: `new Kysely({ dialect: sqliteDialect("shop.db") })`.
 *
 * The file is opened by the first statement and made if it does not exist, with a write-ahead log and foreign keys
 * enforced; `":memory:"` is a database that lives as long as the Kysely instance. Kysely's statements take turns on one
 * connection; a stream gives way to other work every 500 rows. Writes of a service that are one statement run at once on
 * it while nobody has it. Reads of a service run at once on a connection of their own, so they never see the rows of a
 * transaction under way, nor temporary tables, nor attached files. A database in memory has one connection, so there they
 * do.
 *
 * Values: a boolean is stored as 0 or 1, a Date as UTC text, a whole number as INTEGER. Integers come back as numbers,
 * beyond ±(2^53 - 1) as bigint: never rounded. The functions `odata_lower`, `odata_upper` and `odata_decimal_*` can be
 * used in any SQL.
 * @throws ConfigurationError for an option that cannot be; the first statement fails with an Error when the file cannot
 *   be opened, and when this Node.js has no `node:sqlite`
 */
export function sqliteDialect(file: string, options: SqliteOptions = {}): Dialect {
  const database = new SqliteDatabase(checkSettings(file, options));
  return {
    createDriver: () => new SqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SynchronousSqliteAdapter(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Fills in the defaults. Untyped code can give anything: every fault is told at once. */
function checkSettings(file: string, options: SqliteOptions): SqliteSettings {
  const { readonly = false, busyTimeout = 5000, statements = 200 } = options;
  const faults = Object.keys(options).flatMap(faultOfName);
  if (typeof file !== "string" || file === "") {
    faults.push(fault(`there is no file ${shown(file)}.`, 'Give the path of a file, or ":memory:".'));
  }
  if (typeof readonly !== "boolean") {
    faults.push(fault(`\`readonly\` cannot be ${shown(readonly)}.`, "Give true or false."));
  }
  if (!isWhole(busyTimeout, 0, MAX_TIMEOUT)) {
    faults.push(fault(`\`busyTimeout\` cannot be ${shown(busyTimeout)}.`, "Give a whole number of milliseconds."));
  }
  if (!isWhole(statements, 1, Number.MAX_SAFE_INTEGER)) {
    faults.push(fault(`\`statements\` cannot be ${shown(statements)}.`, "Give a whole number of 1 or more."));
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return { file, readonly, busyTimeout, statements };
}

function faultOfName(name: string): readonly ConfigurationFault[] {
  if (OPTIONS.some((option) => option === name)) return [];
  const nearest = nearestName(name, OPTIONS);
  const fix =
    nearest === null ? `Use ${OPTIONS.map((each) => `\`${each}\``).join(", ")}.` : `Did you mean \`${nearest}\`?`;
  return [fault(`there is no option \`${name}\`.`, fix)];
}

function fault(message: string, fix: string): ConfigurationFault {
  return { message: `sqliteDialect: ${message}`, fix };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
