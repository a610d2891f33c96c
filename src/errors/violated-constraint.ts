import { driverNames } from "./driver-names.ts";

/** A constraint of a database that a write violates. */
export interface Violation {
  readonly kind: "unique" | "foreignKey" | "notNull" | "check";
  /** The name of the constraint or index; null if the database does not report it. */
  readonly constraint: string | null;
  /** All names by which the database reports it: that name, or `table.column` of each column. */
  readonly names: readonly string[];
}

/** The fields of the errors of drivers. */
interface DriverError extends Error {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly errcode?: unknown;
  readonly constraint?: unknown;
  readonly constraint_name?: unknown;
}

/** By the error numbers of MariaDB and MySQL. @see https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const MY_KINDS: ReadonlyMap<unknown, Violation["kind"]> = new Map([
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
]);

/** By the error codes of PostgreSQL. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const PG_KINDS: ReadonlyMap<unknown, Violation["kind"]> = new Map([
  ["23505", "unique"],
  ["23P01", "unique"],
  ["23503", "foreignKey"],
  ["23001", "foreignKey"],
  ["23502", "notNull"],
  ["23514", "check"],
  ["44000", "check"],
  ["P0001", "check"],
]);

/** By the extended result codes of SQLite. @see https://sqlite.org/rescode.html */
const SQLITE_KINDS: ReadonlyMap<unknown, Violation["kind"]> = new Map([
  [2067, "unique"],
  [1555, "unique"],
  [2579, "unique"],
  [787, "foreignKey"],
  [1299, "notNull"],
  [275, "check"],
  [1811, "check"],
]);

/** The names of these codes in other drivers of SQLite. */
const SQLITE_NAMES: ReadonlyArray<readonly [pattern: RegExp, kind: Violation["kind"]]> = [
  [/^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY|ROWID)$/, "unique"],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$/, "foreignKey"],
  [/^SQLITE_CONSTRAINT_NOTNULL$/, "notNull"],
  [/^SQLITE_CONSTRAINT_(?:CHECK|TRIGGER)$/, "check"],
];

/** The messages of MariaDB, MySQL and SQLite with the name of a constraint. Errors of PostgreSQL have a field with it. */
const MESSAGES: readonly RegExp[] = [
  /^CONSTRAINT `([^`]+)` failed for /,
  /^Check constraint '([^']+)' is violated/,
  /^Duplicate entry .* for key '(?:[^'.]+\.)*([^']+)'$/s,
  /CONSTRAINT `([^`]+)` FOREIGN KEY/,
  /^UNIQUE constraint failed: index '(.+)'$/s,
  /^CHECK constraint failed: (\w+)$/,
];

/** SQLite quotes the expression of a constraint without a name. */
const QUOTED_CHECK = /^CHECK constraint failed: (.+)$/s;

/** Returns the constraint that the error of a driver reports, not that of its cause; null for any other error. */
export function violationOf(error: Error): Violation | null {
  const { code, errno, errcode, constraint, constraint_name: other, message }: DriverError = error;
  const kind = typeof errcode === "number" ? SQLITE_KINDS.get(errcode) : (MY_KINDS.get(errno) ?? kindOfCode(code));
  if (kind === undefined) return null;
  const { table, columns } = driverNames(error);
  const listed = columns.map((column) => (table === undefined ? column : `${table}.${column}`)).join(", ");
  const inText = MESSAGES.flatMap((pattern) => pattern.exec(message)?.[1] ?? []);
  // MariaDB puts the table before the name of the constraint of a column.
  const named = [constraint, other, ...inText.map((name) => name.replace(/^.*\./, ""))].filter(isName);
  const names = [...named, ...inText, QUOTED_CHECK.exec(message)?.[1], listed].filter(isName);
  return { kind, constraint: named[0] ?? null, names };
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "";
}

function kindOfCode(code: unknown): Violation["kind"] | undefined {
  if (typeof code !== "string") return undefined;
  return PG_KINDS.get(code) ?? SQLITE_NAMES.find(([pattern]) => pattern.test(code))?.[1];
}

/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/** Returns the constraint that an error, or the error that caused it, reports; null for any other error. */
export function violationIn(error: unknown): Violation | null {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const found = violationOf(current);
    if (found !== null) return found;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return null;
}
