import type { Context } from "../../definition/context.ts";
import type { SqlTable } from "./sql-table.ts";
import { serviceOf, setOfTable } from "./table-sets.ts";

/** A write that a check constraint or a trigger of the database refused. */
export interface Violation {
  /** The name of the check constraint; null where it has none, and for a trigger. */
  readonly constraint: string | null;
  /** The error of the driver. */
  readonly err: unknown;
}

/**
 * Logs a write that the database refused, with the name of the constraint.
 * @returns the message for the client, where the service exposes the names of constraints and this one has a name
 * @see docs/sql.md
 */
export function reportViolation(context: Context, table: SqlTable, { constraint, err }: Violation): string | null {
  const service = serviceOf(context);
  if (service === null) return null;
  const { id, method, url } = context.request;
  const place = { requestId: id, method, path: new URL(url).pathname, set: setOfTable(context, table)?.entitySet.name };
  try {
    service.logger.warn("The database refused a write.", { ...place, table: table.name, constraint, err });
  } catch {
    // A logger that throws does not change the response.
  }
  if (constraint === null || !service.exposesConstraintNames) return null;
  return `The constraint '${constraint}' of the database refuses this write: check the values and how they go together.`;
}
