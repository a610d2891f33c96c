import { driverNames, isDriverError } from "../../errors/driver-names.ts";
import { isODataError, protocolError, type ODataError } from "../../errors/odata-error.ts";
import type { DialectFaults, DriverError, FaultKind } from "./dialect-profile.ts";
import { MY_FAULTS } from "./mysql/faults.ts";
import { PG_FAULTS } from "./postgres/faults.ts";
import { SQLITE_FAULTS } from "./sqlite/faults.ts";

/** What a database told, without its words. */
export interface DatabaseFault {
  readonly kind: FaultKind;
  /** The columns at fault, as far as it names them. */
  readonly columns: readonly string[];
  /** The check constraint that a write violates, as far as it has a name. */
  readonly constraint: string | null;
}

const DIALECTS: readonly DialectFaults[] = [SQLITE_FAULTS, PG_FAULTS, MY_FAULTS];

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
  const { code, message } = error;
  if (typeof code === "string" && NO_CONNECTION.test(code)) return "unavailable";
  for (const { kindOf: kindIn } of DIALECTS) {
    const kind = kindIn(error);
    if (kind !== null) return kind;
  }
  return NO_CONNECTION_MESSAGE.test(message) ? "unavailable" : null;
}

function columnsOf(error: DriverError): readonly string[] {
  const { columns } = driverNames(error);
  if (columns.length > 0) return columns;
  const index = DIALECTS.flatMap(({ namedIndex }) => namedIndex?.exec(error.message)?.[1] ?? []);
  return index.slice(0, 1);
}

const NAMED_CONSTRAINTS = DIALECTS.flatMap(({ namedConstraints }) => namedConstraints);

function constraintOf({ constraint, message }: DriverError): string | null {
  if (typeof constraint === "string") return constraint;
  for (const pattern of NAMED_CONSTRAINTS) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return name.replace(/^.*\./, "");
  }
  return null;
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = "1";

/** A database that cannot be reached. */
export function unavailable(cause: unknown): ODataError {
  return laterAgain("The database cannot be reached at the moment: try again later.", cause);
}

/** A database that is busy with other writes. */
export function tooBusy(cause: unknown): ODataError {
  return laterAgain("Other writes were in the way each time: try again later.", cause);
}

function laterAgain(message: string, cause: unknown): ODataError {
  return protocolError("ServiceUnavailable", message, { cause, headers: { "Retry-After": RETRY_AFTER } });
}

/** A statement that a database did not run, with the table that it was made for. */
export class StatementError extends Error {
  /** As declared. */
  readonly table: string;

  constructor(table: string, cause: Error) {
    super(`A statement for the table '${table}' failed: ${cause.message}`, { cause });
    this.name = "StatementError";
    this.table = table;
  }
}

/**
 * Adds the table of a statement to the error of a driver, for the log: most drivers name it for constraints only.
 * Any other error stays as it is.
 * @param table undefined for a statement over a query of the application
 */
export function ofTable(error: unknown, table: string | undefined): unknown {
  if (table === undefined || !(error instanceof Error) || error instanceof StatementError) return error;
  return isDriverError(error) || databaseFault(error) !== null ? new StatementError(table, error) : error;
}

/**
 * Turns the error of a failed read into the error of the request, in words of the service: a database that cannot be
 * reached, too much for one statement, or an expression that the database cannot evaluate for a row, or not in time. Any
 * other error of a driver gets the name of the table, for the log.
 * @param name of the database, for messages
 * @param table of the set that was read; undefined for a query of the application
 */
export function toReadFault(error: unknown, name: string, table: string | undefined): unknown {
  if (isODataError(error)) return error;
  const told = explainUnevaluable(error, name);
  if (told !== error) return told;
  const kind = databaseFault(error)?.kind;
  if (kind === "unavailable") return unavailable(ofTable(error, table));
  return kind === "contention" ? tooBusy(ofTable(error, table)) : ofTable(explainTooLarge(error), table);
}

/** A query that is more than one statement takes, as a client is to hear it. */
export function explainTooLarge(error: unknown): unknown {
  if (!(error instanceof Error) || !DIALECTS.some(({ isTooLarge }) => isTooLarge(error))) return error;
  const message =
    "The query is more than the database takes in one statement: ask for less at once, or in several requests.";
  return protocolError("InvalidQueryOption", message, { cause: error });
}

/** An expression that a database cannot evaluate for a row, or not in time, as a client is to hear it. */
export function explainUnevaluable(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const { code } = error;
  if (DIALECTS.some(({ timeouts }) => timeouts.has(code))) {
    const message = "The query takes the database too long: narrow it, or ask for less.";
    return protocolError("InvalidQueryOption", message, { cause: error });
  }
  for (const { unevaluable } of DIALECTS) {
    const reason = unevaluable.get(code);
    if (reason === undefined) continue;
    const message = `${name} cannot evaluate the expression: ${reason}.`;
    return protocolError("UnsupportedQueryOption", message, { cause: error });
  }
  return error;
}
