import { driverNames } from "./driver-names.ts";
import { isOfShard } from "./shard-names.ts";
import { violationOf } from "./violated-constraint.ts";

/** The fields of an error with codes of the driver and the name of a constraint. */
const FIELDS = ["code", "errno", "errcode", "constraint"] as const;

/** Maximum number of causes that are inspected. */
const MAX_CAUSES = 8;

/**
 * Returns the database facts of a failure: the code of the driver, the table, the column and the constraint. The innermost
 * error with such a fact takes precedence.
 * @see docs/reference/services.md, Log failures
 */
export function driverFields(err: unknown): Readonly<Record<string, string | number>> {
  const found: Record<string, string | number> = {};
  let error: unknown = err;
  try {
    for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth += 1) {
      // The code of an error for the client does not come from a driver.
      if (!("status" in error)) Object.assign(found, fieldsOf(error));
      error = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
    }
  } catch {
    // An error with throwing getters is logged without these fields.
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
  const constraint = isOfShard(error) ? violationOf(error)?.constraint : undefined;
  if (typeof constraint === "string") found["constraint"] = constraint;
  return found;
}
