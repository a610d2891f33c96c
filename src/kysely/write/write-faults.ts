import type { Context } from "../../definition/context.ts";
import { logWarning } from "../../definition/request-fields.ts";
import { missingReference } from "../../definition/sets/guarded-reference.ts";
import { refersToKey } from "../../edm/key-holder.ts";
import { driverFields } from "../../errors/driver-fields.ts";
import { ERROR_CODES, type ErrorCode } from "../../errors/error-codes.ts";
import { protocolError } from "../../errors/odata-error.ts";
import { databaseFault, ofTable, unavailable } from "../dialects/database-fault.ts";
import type { SqlTable } from "./sql-table.ts";
import { UnstorableValueError } from "./stored-columns.ts";
import { setOfTable, wirePathOf, serviceOf } from "./table-sets.ts";

/** Which write failed. */
export interface FailedWrite {
  readonly context: Context;
  readonly table: SqlTable;
  /** Where the entity stands in the body, with a slash behind it; empty for the body itself. */
  readonly place: string;
  readonly isDelete: boolean;
}

/**
 * What a failed write is to the client: a conflict, a wrong value, or a database that cannot be reached, in words of the
 * service. Contention stays an error of the driver, for a transaction may be tried again, and so does any error that is no
 * fault of the client; both get the name of the table, for the log.
 */
export function toWriteFault(error: unknown, failed: FailedWrite): unknown {
  const { context, table, place, isDelete } = failed;
  if (error instanceof UnstorableValueError) {
    const [first] = error.path;
    const isShown = table.entityType.properties.some(({ field }) => field === first?.field);
    const target = isShown ? place + wirePathOf(context, table, error.path) : undefined;
    return protocolError("InvalidBody", error.message, { target });
  }
  const fault = databaseFault(error);
  if (fault === null || fault.kind === "contention") return ofTable(error, table.name);
  if (fault.kind === "unavailable") return unavailable(ofTable(error, table.name));
  const paths = fault.columns.map((column) => table.pathOf(column)).filter(({ length }) => length > 0);
  const names = isDelete ? [] : paths.map((path) => wirePathOf(context, table, path));
  const target = names[0] === undefined ? undefined : place + names[0];
  const options = { target, cause: error };
  switch (fault.kind) {
    case "foreignKey":
      if (isDelete) return protocolError("Conflict", IS_REFERRED_TO, options);
      return missingReference(target, names.length === 0 ? hintOf(referringNames(context, table)) : "", error);
    case "unique":
      return protocolError("Conflict", toConflict(names, isDelete), options);
    case "notNull":
      // What no client can state is for the service to fill in.
      if (target === undefined) return protocolError("Conflict", REFUSED, options);
      return protocolError("NullNotAllowed", `'${target}' is never null in the database: give it a value.`, options);
    case "check": {
      const code = isDelete ? "Conflict" : "InvalidBody";
      const message = reportViolation(context, table, { constraint: fault.constraint, err: error, code }) ?? REFUSED;
      return protocolError(code, message, options);
    }
    case "value":
    case "rounded":
      return protocolError(
        "InvalidBody",
        "A value is longer, greater or of more digits than its column holds.",
        options,
      );
  }
}

const IS_REFERRED_TO = "Other entities refer to this one: delete or change those first.";

function toConflict(names: readonly string[], isDelete: boolean): string {
  if (isDelete) return IS_REFERRED_TO;
  if (names.length < 2) {
    return "Another entity has this value already, and it must be unique: choose another one, or change that entity.";
  }
  return `Another entity has these values of ${listOf(names)} already, and together they must be unique: choose others, or change that entity.`;
}

/** What may refer to another entity, where the database does not tell what did. */
function referringNames(context: Context, table: SqlTable): readonly string[] {
  const set = setOfTable(context, table)?.entitySet;
  if (set === undefined) return [];
  const names = [...set.navigationProperties.values()].flatMap((navigation) => {
    const join = set.navigationJoins.get(navigation.name);
    if (navigation.isCollection || join?.kind !== "direct" || !refersToKey(navigation, join)) return [];
    return join.pairs.flatMap(({ property }) => (set.entityType.properties.includes(property) ? [property.name] : []));
  });
  return [...new Set(names)];
}

function hintOf(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Look at ${listOf(names)}.`;
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

const REFUSED = "A rule of the database refuses this write: check the values and how they go together.";

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
 * @see docs/reference/sql.md
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
