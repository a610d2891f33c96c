/** What an error of a database driver names, by the field that holds it. */
const FIELDS = ["code", "errcode", "table", "column", "constraint"] as const;

/** Errors behind one another that are looked at. */
const MAX_CAUSES = 8;

/**
 * Returns what a failure says of the database: table, column and constraint, and the code of the driver, taken from the
 * innermost error that has one.
 * @see docs/services.md, Log failures
 */
export function driverFields(err: unknown): Readonly<Record<string, string | number>> {
  const found: Record<string, string | number> = {};
  let error: unknown = err;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth += 1) {
    // The code of an error for the client is none of a driver.
    if (!("status" in error)) Object.assign(found, fieldsOf(error));
    error = error.cause;
  }
  return found;
}

function fieldsOf(error: object): Record<string, string | number> {
  const entries = FIELDS.flatMap((name) => {
    const value = (error as Readonly<Record<string, unknown>>)[name];
    return (typeof value === "string" && value !== "") || typeof value === "number" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
