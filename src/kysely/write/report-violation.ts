import type { Context } from "../../definition/context.ts";
import { logWarning } from "../../definition/request-fields.ts";
import { driverFields } from "../../errors/driver-fields.ts";
import { ERROR_CODES, type ErrorCode } from "../../errors/error-codes.ts";
import type { SqlTable } from "./sql-table.ts";
import { serviceOf } from "./table-sets.ts";

/** A write that a check constraint or a trigger of the database refused. */
export interface Violation {
  /** The name of the check constraint; null where it has none, and for a trigger. */
  readonly constraint: string | null;
  /** The error of the driver. */
  readonly err: unknown;
  /** The code of the error for the client. */
  readonly code: ErrorCode;
}

/**
 * Logs a write that the database refused, with the name of the constraint.
 * @returns the message for the client, where the service exposes the names of constraints and this one has a name
 * @see docs/sql.md
 */
export function reportViolation(context: Context, table: SqlTable, violation: Violation): string | null {
  const { constraint, err, code } = violation;
  const service = serviceOf(context);
  if (service === null) return null;
  const fields = { status: ERROR_CODES[code], ...driverFields(err), table: table.name, constraint, err };
  logWarning(service, context, "The database refused a write.", fields);
  if (constraint === null || !service.exposesConstraintNames) return null;
  return `The constraint '${constraint}' of the database refuses this write: check the values and how they go together.`;
}
