import { driverFields } from "../../base/errors/driver-fields.ts";
import { ERROR_CODES, type ErrorCode } from "../../base/errors/error-codes.ts";
import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { Violation } from "../../base/errors/violated-constraint.ts";
import { messageOf } from "../../base/message-of.ts";
import type { Context } from "../../definition/context.ts";
import { logWarning } from "../../definition/model/request-fields.ts";
import { declaredViolation } from "../../definition/sets/constraints.ts";
import { missingReference } from "../../definition/sets/judge-references.ts";
import { keyHolderOf } from "../../edm/key-holder.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import {
  databaseFault,
  type DatabaseFault,
  isPassing,
  isUnsupported,
  ofTable,
  unavailable,
} from "../kinds/database-fault.ts";
import { NOT_LOCKABLE, NOT_WRITABLE } from "../placement/refusals.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import type { WrittenColumns } from "./changed-columns.ts";
import { type SqlTable, setOfTable, wirePathOf, findService } from "./sql-table.ts";
import { UnstorableValueError } from "./stored-columns.ts";

/** A failed write. */
interface FailedWrite {
  readonly context: Context;
  readonly table: SqlTable;
  /** The path of the entity in the body, with a trailing slash; empty for the body itself. */
  readonly place: string;
  /** The cells that the statement wrote; absent if they are not known. */
  readonly written?: WrittenColumns | "delete" | undefined;
}

/**
 * Converts the error of a failed write to an error for the client: a conflict, an invalid value or an unavailable database.
 * Contention and outdated statements stay errors of the driver, because the transaction may be retried, and so does any error that is not a fault
 * of the client. Both get the name of the table, for the log.
 */
export function toWriteFault(error: unknown, failed: FailedWrite): unknown {
  const { context, table, place } = failed;
  const isDelete = failed.written === "delete";
  if (error instanceof UnstorableValueError) {
    const [first] = error.path;
    if (first !== undefined && table.fieldsSet.has(first.field)) return ofServer(error, first, table);
    const isShown = table.entityType.properties.some(({ field }) => field === first?.field);
    const target = isShown ? place + wirePathOf(context, table, error.path) : undefined;
    return protocolError("InvalidBody", error.message, { target });
  }
  const { joins } = table.reader.profile.capabilities;
  if (isUnsupported(error)) return unsupportedWrite(error, joins);
  const fault = databaseFault(error);
  if (fault === null || isPassing(fault.kind)) return ofTable(error, table.name);
  if (fault.kind === "unavailable") return table.reader.rows.outage.note(unavailable(ofTable(error, table.name)));
  const columns = fault.kind === "foreignKey" && fault.columns.length === 0 ? missing(failed) : fault.columns;
  const declared = declaredFault(failed, { ...fault, columns }, error);
  if (declared !== null) return declared;
  const isUnnamed = fault.kind === "notNull" && columns.length === 0;
  const paths = isUnnamed
    ? nullPaths(failed)
    : columns.map((column) => table.pathOf(column)).filter(({ length }) => length > 0);
  const [of] = paths.flat();
  const isOfServer =
    of !== undefined && paths.every(([first]) => first !== undefined && table.fieldsSet.has(first.field));
  if (isOfServer && VALUE_FAULTS.has(fault.kind)) return ofServer(error, of, table);
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
      return nullFault(
        names.map((name) => place + name),
        error,
      );
    case "check": {
      const code = isDelete ? "Conflict" : "InvalidBody";
      const message = reportViolation(context, table, { constraint: fault.constraint, err: error, code }) ?? REFUSED;
      return protocolError(code, message, options);
    }
    case "character":
      return protocolError(
        "InvalidBody",
        "A text contains the character U+0000, which the database cannot store.",
        options,
      );
    case "value":
    case "rounded":
      return protocolError(
        "InvalidBody",
        "A value is too long or too large for its column, or has too many digits.",
        options,
      );
  }
}

/** Returns the error for a write that the database refuses. @param joins whether its rows are on one machine */
function unsupportedWrite(cause: unknown, joins: boolean): ODataError {
  return joins
    ? protocolError("Conflict", REPLACED, { cause })
    : protocolError("NotImplemented", isSpreadLock(cause) ? NOT_LOCKABLE : NOT_WRITABLE, { cause });
}

/** Whether Citus has refused to lock rows of several shards. */
function isSpreadLock(cause: unknown): boolean {
  return messageOf(cause).includes("FOR UPDATE/SHARE");
}

/** The faults of one value. */
const VALUE_FAULTS: ReadonlySet<string> = new Set(["notNull", "character", "value", "rounded"]);

/** Makes the error for a value that the option `set` supplied and the column cannot store: no client can correct it. */
function ofServer(cause: unknown, { field }: StructuralProperty, table: SqlTable): unknown {
  const reason = messageOf(cause);
  const problem = `The column of \`${field}\` in ${table.name} cannot store the value that \`set\` supplies: ${reason}`;
  return new Error(problem, { cause });
}

/** Returns the error that the set declares for a violated constraint; null without one. */
function declaredFault(
  { context, table, place, written }: FailedWrite,
  { kind, names, columns }: DatabaseFault,
  cause: unknown,
): ODataError | null {
  const { tableName } = table;
  const errors = setOfTable(context, table)?.constraints ?? null;
  if (errors === null || !isViolation(kind)) return null;
  const name = typeof tableName === "string" ? tableName.replace(/^.*\./, "") : tableName.name;
  const ofColumns = columns.map((column) => `${name}.${column}`).join(", ");
  const indexes = kind === "unique" ? uniqueIndexes(table, columns) : [];
  const write = { place, isDelete: written === "delete", cause };
  return declaredViolation(errors, { kind, names: [...names, ...indexes, ofColumns] }, write);
}

function isViolation(kind: DatabaseFault["kind"]): kind is Violation["kind"] {
  return kind === "unique" || kind === "foreignKey" || kind === "notNull" || kind === "check";
}

/** Returns the names of unique indexes on columns, where the error of the database has no name. */
function uniqueIndexes({ db, reader, tableName }: SqlTable, columns: readonly string[]): readonly string[] {
  const { findUniqueIndexes } = reader.profile.writes;
  const { local } = reader.rows;
  if (findUniqueIndexes === undefined || local === null) return [];
  return findUniqueIndexes(sqlTableName(tableName).compile(db).sql, columns, local);
}

/** @param names the properties of which one is null in a column that must not be */
function nullFault(names: readonly string[], cause: unknown): ODataError {
  const [target] = names;
  // A column that clients cannot set is for the service to fill in.
  if (target === undefined) return protocolError("Conflict", REFUSED, { cause });
  if (names.length > 1) {
    const message = `One of ${listOf(names)} must not be null in the database: give it a value.`;
    return protocolError("NullNotAllowed", message, { cause });
  }
  return protocolError("NullNotAllowed", `'${target}' must not be null in the database: give it a value.`, {
    target,
    cause,
  });
}

/** Returns the properties that a write stored null in, where the error of the database names no column. */
function nullPaths({ table, written }: FailedWrite): ReadonlyArray<readonly StructuralProperty[]> {
  if (written === undefined || written === "delete") return [];
  const stored = written.columns.filter((_column, index) => written.cells[index] === null);
  const { properties } = table.entityType;
  return stored.map(({ path }) => path).filter(([first]) => properties.some(({ field }) => field === first?.field));
}

/** Returns the error for a new row with the key of another row, as a constraint of the database would cause it. */
export function keyConflict({ context, table, place }: FailedWrite): ODataError {
  const names = table.entityType.key.map((property) => wirePathOf(context, table, [property]));
  const target = names[0] === undefined ? undefined : place + names[0];
  return protocolError("Conflict", toConflict(names, false), { target });
}

/** Returns the columns of the foreign key that refers to no row, where the error of the database does not name it. */
function missing({ table, written }: FailedWrite): readonly string[] {
  const { db, reader, tableName } = table;
  const { findMissingReference } = reader.profile.writes;
  const { local } = reader.rows;
  const isKnown = written !== undefined && written !== "delete";
  if (!isKnown || findMissingReference === undefined || local === null) return [];
  const cells = new Map(written.columns.map(({ column }, index) => [column.toLowerCase(), written.cells[index]]));
  return findMissingReference(sqlTableName(tableName).compile(db).sql, cells, local);
}

const REPLACED = "The database cannot make this write: a rule of the table replaces it, and returns no row.";

const IS_REFERRED_TO = "Other entities refer to this one: delete or change them first.";

function toConflict(names: readonly string[], isDelete: boolean): string {
  if (isDelete) return IS_REFERRED_TO;
  if (names.length < 2) {
    return "Another entity already has this value, which must be unique: choose another value, or change that entity.";
  }
  return `Another entity already has these values of ${listOf(names)}, which must be unique together: choose others, or change that entity.`;
}

/** Returns the properties that may refer to another entity, if the database does not report which one did. */
function referringNames(context: Context, table: SqlTable): readonly string[] {
  const set = setOfTable(context, table)?.entitySet;
  if (set === undefined) return [];
  const names = [...set.navigationProperties.values()].flatMap((navigation) => {
    const join = set.navigationJoins.get(navigation.name);
    if (join?.kind !== "direct" || keyHolderOf(set, navigation) !== "parent") return [];
    const properties = join.pairs.map(({ property }) => property);
    return properties.filter((property) => set.entityType.properties.includes(property)).map(({ name }) => name);
  });
  return [...new Set(names)];
}

function hintOf(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Check ${listOf(names)}.`;
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.slice(-1).join("")}`;
}

const REFUSED = "A rule of the database rejects this write: check the values and their combination.";

/** A write that a check constraint or a trigger of the database rejected. */
interface RejectedWrite {
  /** The name of the check constraint; null if it has none, and for a trigger. */
  readonly constraint: string | null;
  /** The error of the driver. */
  readonly err: unknown;
  readonly code: ErrorCode;
}

/**
 * Logs a write that the database rejected, with the name of the constraint.
 * @returns the message for the client, if the service exposes the names of constraints and this one has a name
 * @see docs/reference/table-writes.md
 */
function reportViolation(context: Context, table: SqlTable, violation: RejectedWrite): string | null {
  const { constraint, err, code } = violation;
  const service = findService(context);
  if (service === null) return null;
  const fields = { status: ERROR_CODES[code], ...driverFields(err), table: table.name, constraint, err };
  logWarning(service, context, "The database rejected a write.", fields);
  if (constraint === null || !service.exposesConstraintNames) return null;
  return `The constraint '${constraint}' of the database rejects this write: check the values and their combination.`;
}
