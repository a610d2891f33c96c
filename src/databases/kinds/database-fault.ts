import { driverNames, isDriverError } from "../../base/errors/driver-names.ts";
import {
  isODataError,
  protocolError,
  queryTimeout,
  tooLongText,
  type ODataError,
} from "../../base/errors/odata-error.ts";
import { violationOf } from "../../base/errors/violated-constraint.ts";
import { MAX_TEXT_BYTES } from "../../language/query/computed-text.ts";
import type { DialectFaults, DriverError, FaultKind } from "../forms/dialect-faults.ts";
import { MY_FAULTS } from "../mariadb/dialect/faults.ts";
import { PG_FAULTS } from "../postgres/dialect/faults.ts";
import { SQLITE_FAULTS } from "../sqlite/dialect/faults.ts";

/** A fault that a database reports, without its message. */
export interface DatabaseFault {
  readonly kind: FaultKind;
  /** The columns at fault, if the database names them. */
  readonly columns: readonly string[];
  /** The name of the check constraint that a write violates; null if unknown. */
  readonly constraint: string | null;
  /** The names by which the database reports a violated constraint; empty for other faults. */
  readonly names: readonly string[];
}

const DIALECTS: readonly DialectFaults[] = [SQLITE_FAULTS, PG_FAULTS, MY_FAULTS];

/** Codes of sockets and drivers for a connection that fails or is lost. */
const NO_CONNECTION =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|PROTOCOL_CONNECTION_LOST|PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR|PROTOCOL_SEQUENCE_TIMEOUT)$/;
const NO_CONNECTION_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|timeout (?:exceeded )?when trying to connect|Can't add new command when connection is in closed state|Connection lost|Pool is closed|No connections available|Queue limit reached)/i;

/** Messages of a pool without a connection in time, whether others use all of them or a new one cannot be opened. */
const NO_FREE_CONNECTION =
  /^(?:timeout (?:exceeded )?when trying to connect|No connections available|Queue limit reached)/i;

/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/** Classifies an error of a database. Returns null for errors that neither the client nor a retry can resolve. */
export function databaseFault(error: unknown): DatabaseFault | null {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const violation = violationOf(current);
    const { kind = kindOf(current), constraint = null, names = [] } = violation ?? {};
    if (kind !== null) {
      const { columns } = driverNames(current);
      // An index is often named like its column.
      const named = kind === "unique" && columns.length === 0 && constraint !== null ? [constraint] : columns;
      return { kind, columns: named, constraint: kind === "check" ? constraint : null, names };
    }
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return null;
}

/** Whether a database does not support the statement of an error. */
export function isUnsupported(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const found: DriverError = current;
    if (DIALECTS.some(({ isUnsupported: isOf }) => isOf?.(found) === true)) return true;
    current = current.cause;
  }
  return false;
}

function kindOf(error: DriverError): FaultKind | null {
  const { code, message } = error;
  if (typeof code === "string" && NO_CONNECTION.test(code)) return "unavailable";
  for (const { kindOf: kindIn } of DIALECTS) {
    const kind = kindIn(error);
    if (kind !== null) return kind;
  }
  return NO_CONNECTION_MESSAGE.test(message) ? "unavailable" : null;
}

/** The seconds after which a client may retry. */
const RETRY_AFTER = "1";

/**
 * Creates the error for a database that cannot be reached.
 * @param mayLog see `ODataErrorOptions`
 */
export function unavailable(cause: unknown, mayLog?: () => boolean): ODataError {
  const message = isWithoutConnection(cause)
    ? "The pool has no connection to the database: others use all of them, or none can be opened in time. Try again later."
    : "The database cannot be reached at the moment. Try again later.";
  return laterAgain(message, cause, mayLog);
}

function isWithoutConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NO_FREE_CONNECTION.test(error.message) || isWithoutConnection(error.cause);
}

/** Creates the error for a failure that a retry may resolve: a conflict with other writes, or an outdated statement. */
export function later(cause: unknown): ODataError {
  if (isOutdated(cause)) return laterAgain("The tables of the database have changed. Try again later.", cause);
  return laterAgain("Conflicts with other writes prevented the request. Try again later.", cause);
}

/** Whether an error is a conflict with another transaction or an outdated statement, so that a retry may succeed. */
export function mayPass(error: unknown): boolean {
  return isPassing(databaseFault(error)?.kind);
}

/** Whether a fault is of a kind after which a retry may succeed. */
export function isPassing(kind: FaultKind | undefined): kind is "contention" | "locked" | "outdated" {
  return kind === "contention" || kind === "locked" || kind === "outdated";
}

/** Whether a statement did not fit the tables any more, or its connection had lost it. */
export function isOutdated(error: unknown): boolean {
  return databaseFault(error)?.kind === "outdated";
}

function laterAgain(message: string, cause: unknown, mayLog?: () => boolean): ODataError {
  return protocolError("ServiceUnavailable", message, { cause, mayLog, headers: { "Retry-After": RETRY_AFTER } });
}

/** A failed statement, with the table that it was made for. */
class StatementError extends Error {
  /** The name in the declaration. */
  readonly table: string;

  constructor(table: string, cause: Error) {
    super(`A statement for the table '${table}' failed: ${cause.message}`, { cause });
    this.name = "StatementError";
    this.table = table;
  }
}

/**
 * Adds the table of a statement to the error of a driver, for the log. Most drivers name tables for constraints only.
 * Returns any other error unchanged.
 * @param table undefined for a statement over a query of the application
 */
export function ofTable(error: unknown, table: string | undefined): unknown {
  if (table === undefined || !(error instanceof Error) || error instanceof StatementError) return error;
  return isDriverError(error) || databaseFault(error) !== null ? new StatementError(table, error) : error;
}

/**
 * Converts the error of a failed read to the error of the request: the database cannot be reached, the statement is too
 * large, or an expression cannot be evaluated for a row, or not in time. Adds the table to any other error of a driver, for
 * the log.
 * @param name the database, for messages
 * @param table the table of the set; undefined for a query of the application
 */
export function toReadFault(error: unknown, name: string, table: string | undefined): unknown {
  if (isODataError(error)) return error;
  const explained = explainUnevaluable(error, name);
  if (explained !== error) return explained;
  const kind = databaseFault(error)?.kind;
  if (kind === "unavailable") return unavailable(ofTable(error, table));
  if (mayPass(error)) return later(ofTable(error, table));
  const tooLarge = explainTooLarge(error);
  return tooLarge === error ? ofTable(error, table) : tooLarge;
}

/** The most characters of a string of V8. */
const LONGEST_STRING = 0x1f_ff_ff_e8;

/** Converts the error for a statement, or for a value of its rows, that is too large. Returns any other error unchanged. */
export function explainTooLarge(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ("code" in error && error.code === "ERR_STRING_TOO_LONG") {
    const message = `A value has more than ${String(LONGEST_STRING)} characters, and cannot be read. Request less at once.`;
    return protocolError("InvalidQueryOption", message, { cause: error });
  }
  if (!DIALECTS.some(({ isTooLarge }) => isTooLarge(error))) return error;
  return tooLargeStatement(error);
}

/** Creates the error for a statement that is too large, or has too large a result. */
export function tooLargeStatement(cause?: unknown): ODataError {
  const message =
    "The query is too large for one statement of the database. Request less at once, or split the request.";
  return protocolError("InvalidQueryOption", message, { cause });
}

/** Converts the error for an expression that cannot be evaluated, or not in time. Returns any other error unchanged. */
export function explainUnevaluable(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  const number = "errno" in error ? error.errno : undefined;
  if (DIALECTS.some(({ timeouts }) => timeouts.has(code) || timeouts.has(number))) {
    return queryTimeout(null, error);
  }
  if (DIALECTS.some(({ isTextTooLong }) => isTextTooLong(error))) return tooLongText(MAX_TEXT_BYTES);
  for (const { unevaluable } of DIALECTS) {
    const reason = unevaluable.get(code);
    if (reason === undefined) continue;
    const message = `${name} cannot evaluate the expression: ${reason}.`;
    return protocolError("UnsupportedQueryOption", message, { cause: error });
  }
  return error;
}
