import { isDriverError } from "../errors/driver-names.ts";
import { databaseFault } from "./database-fault.ts";

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
