import type { Context } from "../definition/context.ts";
import { protocolError } from "../errors/odata-error.ts";
import { databaseFault } from "./database-fault.ts";
import { unavailable } from "./database-unavailable.ts";
import type { SqlTable } from "./sql-table.ts";
import { UnstorableValueError } from "./stored-columns.ts";
import { wirePath } from "./table-sets.ts";

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
 * service. Contention stays as it is, for a transaction may be tried again; so does what is no fault of the client.
 */
export function toWriteFault(error: unknown, { context, table, place, isDelete }: FailedWrite): unknown {
  if (error instanceof UnstorableValueError) {
    const [first] = error.path;
    const isShown = table.entityType.properties.some(({ field }) => field === first?.field);
    const target = isShown ? place + wirePath(context, table, error.path) : undefined;
    return protocolError("InvalidBody", error.message, { target });
  }
  const fault = databaseFault(error);
  if (fault === null || fault.kind === "contention") return error;
  if (fault.kind === "unavailable") return unavailable(error);
  const paths = fault.columns.map((column) => table.pathOf(column)).filter(({ length }) => length > 0);
  const names = isDelete ? [] : paths.map((path) => wirePath(context, table, path));
  const target = names[0] === undefined ? undefined : place + names[0];
  const options = { target, cause: error };
  switch (fault.kind) {
    case "unique":
    case "foreignKey":
      return protocolError("Conflict", isDelete ? STILL_USED : conflict(fault.kind, names), options);
    case "notNull":
      // What no client can state is for the service to fill in.
      if (target === undefined) return protocolError("Conflict", REFUSED, options);
      return protocolError("NullNotAllowed", `'${target}' is never null in the database: give it a value.`, options);
    case "check":
      return isDelete ? protocolError("Conflict", REFUSED, options) : protocolError("InvalidBody", REFUSED, options);
    case "value":
    case "rounded":
      return protocolError(
        "InvalidBody",
        "A value is longer, greater or of more digits than its column holds.",
        options,
      );
  }
}

/** @param names what clients call the columns at fault, as far as the database names them */
function conflict(kind: "unique" | "foreignKey", names: readonly string[]): string {
  if (kind === "foreignKey") return "There is no entity that this value refers to: create that first, or name another.";
  if (names.length < 2) {
    return "Another entity has this value already, and it must be unique: choose another one, or change that entity.";
  }
  const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
  return `Another entity has these values of ${list} already, and together they must be unique: choose others, or change that entity.`;
}

const STILL_USED = "Other entities refer to this one: delete or change those first.";
const REFUSED = "A rule of the database refuses this write: check the values and how they go together.";
