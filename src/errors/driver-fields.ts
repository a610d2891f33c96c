import { driverNames } from "./driver-names.ts";

/** The codes of a driver, and the constraint that it names, by the field that holds them. */
const FIELDS = ["code", "errno", "errcode", "constraint"] as const;

/** Errors behind one another that are looked at. */
const MAX_CAUSES = 8;

/**
 * Returns what a failure says of the database: the code of the driver, table, column and constraint. The innermost error
 * that names one decides.
 * @see docs/reference/services.md, Log failures
 */
export function driverFields(err: unknown): Readonly<Record<string, string | number>> {
  const found: Record<string, string | number> = {};
  let error: unknown = err;
  try {
    for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth += 1) {
      // The code of an error for the client is none of a driver.
      if (!("status" in error)) Object.assign(found, fieldsOf(error));
      error = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
    }
  } catch {
    // An error whose members throw is still worth its record.
  }
  return found;
}

function fieldsOf(error: Error): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const name of FIELDS) {
    const value: unknown = Reflect.get(error, name);
    if ((typeof value === "string" && value !== "") || typeof value === "number") found[name] = value;
  }
  const { table, columns } = driverNames(error);
  if (table !== undefined) found["table"] = table;
  if (columns.length > 0) found["column"] = columns.join(", ");
  return found;
}
