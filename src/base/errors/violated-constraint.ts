import { driverNames } from "./driver-names.ts";
import { checkWithoutShard, isOfShard, withoutShard } from "./shard-names.ts";

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

/** How an error reports a violated constraint. */
interface ViolationReport {
  readonly kind: Violation["kind"];
  /** The messages of the error with the name of the constraint. PostgreSQL has a field with it, which Citus does not pass on. */
  readonly named?: readonly RegExp[];
  /** The message with the expression of a constraint without a name. */
  readonly quoted?: RegExp;
}

const reports = (kind: Violation["kind"], ...named: readonly RegExp[]): ViolationReport => ({ kind, named });

// A duplicate value precedes the name, so the name is the last one.
const DUPLICATE = reports("unique", /^Duplicate entry .* for key '(?:[^'.]+\.)*([^']+)'$/s);
const REFERRED = reports(
  "foreignKey",
  /^Cannot (?:add or update a child|delete or update a parent) row: a foreign key constraint fails \(.*?CONSTRAINT `([^`]+)` FOREIGN KEY /,
);

/** By the error numbers of MariaDB and MySQL. @see https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const MY_REPORTS: ReadonlyMap<unknown, ViolationReport> = new Map([
  [1062, DUPLICATE],
  [1586, DUPLICATE],
  [1216, REFERRED],
  [1217, REFERRED],
  [1451, REFERRED],
  [1452, REFERRED],
  [1048, reports("notNull")],
  [1364, reports("notNull")],
  [3819, reports("check", /^Check constraint '([^']+)' is violated/)],
  [4025, reports("check", /^CONSTRAINT `([^`]+)` failed for /)],
  // The message is that of a trigger.
  [1644, reports("check")],
]);

/** By the error codes of PostgreSQL. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const PG_REPORTS: ReadonlyMap<unknown, ViolationReport> = new Map([
  ["23505", reports("unique", /^duplicate key value violates unique constraint "([^"]+)"$/)],
  ["23P01", reports("unique", /^conflicting key value violates exclusion constraint "([^"]+)"$/)],
  ["23503", reports("foreignKey", /^[a-z ]+ on table "[^"]+" violates foreign key constraint "([^"]+)"/)],
  ["23001", reports("foreignKey")],
  ["23502", reports("notNull")],
  ["23514", reports("check", /^new row for relation "[^"]+" violates check constraint "([^"]+)"$/)],
  ["44000", reports("check")],
  ["P0001", reports("check")],
]);

const SQLITE_UNIQUE = reports("unique", /^UNIQUE constraint failed: index '(.+)'$/s);
const SQLITE_CHECK: ViolationReport = {
  kind: "check",
  named: [/^CHECK constraint failed: (\w+)$/],
  quoted: /^CHECK constraint failed: (.+)$/s,
};

/** By the extended result codes of SQLite, and their names in other drivers. @see https://sqlite.org/rescode.html */
const SQLITE_REPORTS: ReadonlyMap<unknown, ViolationReport> = new Map<unknown, ViolationReport>(
  (
    [
      [2067, "UNIQUE", SQLITE_UNIQUE],
      [1555, "PRIMARYKEY", SQLITE_UNIQUE],
      [2579, "ROWID", SQLITE_UNIQUE],
      [787, "FOREIGNKEY", reports("foreignKey")],
      [1299, "NOTNULL", reports("notNull")],
      [275, "CHECK", SQLITE_CHECK],
      [1811, "TRIGGER", reports("check")],
    ] as const
  ).flatMap(([code, name, report]) => [
    [code, report],
    [`SQLITE_CONSTRAINT_${name}`, report],
  ]),
);

/**
 * Returns the constraint that the error of a driver reports, not that of its cause; null for any other error. Texts of clients
 * within a message never name the constraint: each code has its own messages.
 */
export function violationOf(error: Error): Violation | null {
  const { code, constraint, constraint_name: other, message }: DriverError = error;
  const report = reportOf(error);
  if (report === undefined) return null;
  const { kind, named: messages = [], quoted } = report;
  const { table, columns } = driverNames(error);
  const listed = columns.map((column) => (table === undefined ? column : `${table}.${column}`)).join(", ");
  // The message of a trigger may have the code of a constraint, but PostgreSQL names its own in a field.
  const isNamed = PG_REPORTS.has(code) && !isOfShard(error);
  const inText = isNamed ? [] : messages.flatMap((pattern) => pattern.exec(message)?.[1] ?? []);
  // MariaDB puts the table before the name of the constraint of a column.
  const given = [constraint, other, ...inText.map((name) => name.replace(/^.*\./, ""))].filter(isName);
  const declared = given.map((name) => (kind === "check" ? checkWithoutShard(name, error) : withoutShard(name, error)));
  const named = [...new Set(declared)];
  // A table of one machine may end in digits, too: its constraint is known by the whole name.
  const whole = given.filter((name) => !named.includes(name) && !inText.includes(name));
  const names = [...named, ...whole, ...inText, quoted?.exec(message)?.[1], listed].filter(isName);
  return { kind, constraint: named[0] ?? null, names };
}

function reportOf({ code, errno, errcode }: DriverError): ViolationReport | undefined {
  if (typeof errcode === "number") return SQLITE_REPORTS.get(errcode);
  return (
    MY_REPORTS.get(errno) ?? PG_REPORTS.get(code) ?? (typeof code === "string" ? SQLITE_REPORTS.get(code) : undefined)
  );
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "";
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
