import { isODataError } from "../../errors/odata-error.ts";
import { databaseFault } from "../database-fault.ts";
import { tooBusy, unavailable } from "../database-unavailable.ts";
import { orTooLarge } from "../translate/too-large-statement.ts";

/**
 * What a failed read is to the client: too much for one statement, or a database that cannot be reached, in words of the
 * service. What is no fault of either stays as it is.
 */
export function toReadFault(error: unknown): unknown {
  if (isODataError(error)) return error;
  const kind = databaseFault(error)?.kind;
  if (kind === "unavailable") return unavailable(error);
  return kind === "contention" ? tooBusy(error) : orTooLarge(error);
}
