import { isODataError } from "../../errors/odata-error.ts";
import { databaseFault } from "../database-fault.ts";
import { tooBusy, unavailable } from "../database-unavailable.ts";
import { ofTable } from "../statement-error.ts";
import { orTooLarge } from "../translate/too-large-statement.ts";

/**
 * Turns the error of a failed read into the error of the request: too much for one statement, or a database that cannot
 * be reached, in words of the service. Any other error of a driver gets the name of the table, for the log.
 * @param table of the set that was read; undefined for a query of the application
 */
export function toReadFault(error: unknown, table: string | undefined): unknown {
  if (isODataError(error)) return error;
  const kind = databaseFault(error)?.kind;
  if (kind === "unavailable") return unavailable(ofTable(error, table));
  return kind === "contention" ? tooBusy(ofTable(error, table)) : ofTable(orTooLarge(error), table);
}
