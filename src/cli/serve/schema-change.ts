import { odataError, type ODataError } from "odatakit";

interface DriverError extends Error {
  readonly code?: unknown;
  readonly errno?: unknown;
}

/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/**
 * PostgreSQL: a table, a column, or a function for its type does not exist, types differ, or a prepared statement returns
 * other columns than before.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const POSTGRES_CODES: ReadonlySet<unknown> = new Set(["42P01", "42703", "42883", "42804", "3F000"]);
const OTHER_PLAN = /^cached plan must not change result type/;
/** MariaDB: an unknown column or table, or a view over one. @see https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const MARIADB_NUMBERS: ReadonlySet<unknown> = new Set([1054, 1146, 1356]);
/** SQLite has one code for all errors of statements. */
const SQLITE_MESSAGE = /^(?:no such (?:table|column|view): |table .+ has no column named |database schema has changed)/;

/** Returns the error for requests whose statement does not fit the schema any more: 503, since the service follows it. */
export function explainSchemaChange(error: unknown): ODataError | undefined {
  if (!isSchemaChange(error)) return undefined;
  const message = "The schema of the database has changed, and the service is about to follow it. Try again later.";
  return odataError(503, "ServiceUnavailable", message, { headers: { "Retry-After": "1" } });
}

function isSchemaChange(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const { code, errno, message, cause }: DriverError = current;
    if (POSTGRES_CODES.has(code) || MARIADB_NUMBERS.has(errno)) return true;
    if (OTHER_PLAN.test(message) || SQLITE_MESSAGE.test(message)) return true;
    current = cause;
  }
  return false;
}
