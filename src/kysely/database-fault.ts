import { driverNames } from "../errors/driver-names.ts";

/** What kind of refusal or failure a database told. */
export type FaultKind =
  | "unique"
  | "foreignKey"
  | "notNull"
  | "check"
  | "value"
  | "rounded"
  /** Another transaction was in the way: the same again may succeed. */
  | "contention"
  | "unavailable";

/** What a database told, without its words. */
export interface DatabaseFault {
  readonly kind: FaultKind;
  /** The columns at fault, as far as it names them. */
  readonly columns: readonly string[];
  /** The check constraint that a write violates, as far as it has a name. */
  readonly constraint: string | null;
}

/** What an error of a driver may carry. */
interface DriverError extends Error {
  readonly constraint?: unknown;
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly errcode?: unknown;
}

/** The extended result codes of SQLite. @see https://sqlite.org/rescode.html */
const SQLITE_KINDS: ReadonlyMap<number, FaultKind> = new Map([
  [2067, "unique"],
  [1555, "unique"],
  [2579, "unique"],
  [787, "foreignKey"],
  [1299, "notNull"],
  [275, "check"],
  [1811, "check"],
  [3091, "value"],
]);
/** Their primary codes: busy, locked; disk full, input or output, cannot open; too big, type mismatch. */
const SQLITE_PRIMARY: ReadonlyMap<number, FaultKind> = new Map([
  [5, "contention"],
  [6, "contention"],
  [10, "unavailable"],
  [13, "unavailable"],
  [14, "unavailable"],
  [18, "value"],
  [20, "value"],
]);
const PRIMARY_BITS = 0xff;
/** The names by which other drivers of SQLite tell them. */
const SQLITE_NAMES: ReadonlyArray<readonly [pattern: RegExp, kind: FaultKind]> = [
  [/^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY|ROWID)$/, "unique"],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$/, "foreignKey"],
  [/^SQLITE_CONSTRAINT_NOTNULL$/, "notNull"],
  [/^SQLITE_CONSTRAINT_(?:CHECK|TRIGGER)$/, "check"],
  [/^SQLITE_(?:BUSY|LOCKED)/, "contention"],
  [/^SQLITE_(?:IOERR|FULL|CANTOPEN)/, "unavailable"],
  [/^SQLITE_(?:TOOBIG|MISMATCH)/, "value"],
];

/** The codes of PostgreSQL, by how they begin. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES_KINDS: ReadonlyArray<readonly [start: string, kind: FaultKind]> = [
  ["23505", "unique"],
  ["23P01", "unique"],
  ["23503", "foreignKey"],
  ["23001", "foreignKey"],
  ["23502", "notNull"],
  ["23514", "check"],
  ["44000", "check"],
  ["P0001", "check"],
  ["22012", "rounded"],
  ["22", "value"],
  ["54", "value"],
  ["40001", "contention"],
  ["40P01", "contention"],
  ["55P03", "contention"],
  ["08", "unavailable"],
  ["57P", "unavailable"],
  ["25006", "unavailable"],
  ["57014", "unavailable"],
  ["53", "unavailable"],
];

/** The numbers of MariaDB and MySQL. @see https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const MYSQL_KINDS: ReadonlyMap<number, FaultKind> = new Map([
  [1062, "unique"],
  [1586, "unique"],
  [1216, "foreignKey"],
  [1217, "foreignKey"],
  [1451, "foreignKey"],
  [1452, "foreignKey"],
  [1048, "notNull"],
  [1364, "notNull"],
  [3819, "check"],
  [4025, "check"],
  [1644, "check"],
  [1153, "value"],
  [1264, "value"],
  [1265, "value"],
  [1292, "value"],
  [1366, "value"],
  [1367, "value"],
  [1406, "value"],
  [1411, "value"],
  [1690, "value"],
  [1205, "contention"],
  [1213, "contention"],
  [1020, "contention"],
  [1040, "unavailable"],
  [1053, "unavailable"],
  [1290, "unavailable"],
  [1836, "unavailable"],
  [1969, "unavailable"],
  [1927, "unavailable"],
  [2006, "unavailable"],
  [2013, "unavailable"],
]);

/** What sockets and drivers say of a connection that is not there, or no more. */
const NO_CONNECTION =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|PROTOCOL_CONNECTION_LOST|PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR|PROTOCOL_SEQUENCE_TIMEOUT)$/;
const NO_CONNECTION_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|timeout (?:exceeded )?when trying to connect|Can't add new command when connection is in closed state|Connection lost|Pool is closed)/i;

/** Errors behind errors that are looked at. */
const MAX_CAUSES = 5;

/** What a database told by an error; null for an error that is none of those that a client or a retry can do about. */
export function databaseFault(error: unknown): DatabaseFault | null {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const kind = kindOf(current);
    if (kind !== null) {
      return { kind, columns: columnsOf(current), constraint: kind === "check" ? constraintOf(current) : null };
    }
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return null;
}

function kindOf(error: DriverError): FaultKind | null {
  const { code, errno, errcode, message } = error;
  if (typeof errcode === "number") {
    return SQLITE_KINDS.get(errcode) ?? SQLITE_PRIMARY.get(errcode & PRIMARY_BITS) ?? null;
  }
  if (typeof code === "string") {
    if (code.startsWith("SQLITE_")) return SQLITE_NAMES.find(([pattern]) => pattern.test(code))?.[1] ?? null;
    if (NO_CONNECTION.test(code)) return "unavailable";
    // The numbers of MariaDB are beside names that begin so.
    if (typeof errno === "number" && code.startsWith("ER_")) return MYSQL_KINDS.get(errno) ?? null;
    if (/^[0-9A-Z]{5}$/.test(code)) return POSTGRES_KINDS.find(([start]) => code.startsWith(start))?.[1] ?? null;
  }
  if (NO_CONNECTION_MESSAGE.test(message)) return "unavailable";
  return typeof errno === "number" ? (MYSQL_KINDS.get(errno) ?? null) : null;
}

/** How MariaDB names the index of a unique constraint, which often has the name of its column. */
const NAMED_INDEX = /^Duplicate entry .* for key '(?:[^'.]+\.)*([^']+)'$/s;

function columnsOf(error: DriverError): readonly string[] {
  const { columns } = driverNames(error);
  if (columns.length > 0) return columns;
  const index = NAMED_INDEX.exec(error.message)?.[1];
  return index === undefined ? [] : [index];
}

/**
 * How messages of SQLite, MariaDB and MySQL name check constraints. SQLite quotes the expression of one without a name,
 * which this leaves out.
 */
const NAMED_CONSTRAINTS: readonly RegExp[] = [
  /^CHECK constraint failed: (\w+)$/,
  /^CONSTRAINT `([^`]+)` failed for /,
  /^Check constraint '([^']+)' is violated/,
];

function constraintOf({ constraint, message }: DriverError): string | null {
  if (typeof constraint === "string") return constraint;
  for (const pattern of NAMED_CONSTRAINTS) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return name.replace(/^.*\./, "");
  }
  return null;
}
