import type { Context } from "../definition/context.ts";
import { protocolError } from "../errors/odata-error.ts";
import { databaseFault, type FaultKind } from "./database-fault.ts";
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

const CONFLICTS: Readonly<Partial<Record<FaultKind, string>>> = {
  unique: "Another entity has this value already, and it must be unique: choose another one, or change that entity.",
  foreignKey: "There is no entity that this value refers to: create that first, or name another.",
};

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
  const path = fault.columns.map((column) => table.pathOf(column)).find(({ length }) => length > 0);
  const target = path === undefined || isDelete ? undefined : place + wirePath(context, table, path);
  const options = { target, cause: error };
  switch (fault.kind) {
    case "unique":
    case "foreignKey":
      return protocolError("Conflict", isDelete ? STILL_USED : (CONFLICTS[fault.kind] ?? ""), options);
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

const STILL_USED = "Other entities refer to this one: delete or change those first.";
const REFUSED = "A rule of the database refuses this write: check the values and how they go together.";
