import type { DatabaseKind, ObjectColumn } from "../../introspect/database-schema.ts";
import type { DescribedColumn } from "../described-service.ts";
import type { DraftObject } from "./draft-object.ts";

/** Returns whether the property of a column may be null in responses. Collections are empty instead. */
export function mayBeNull(
  { key, object }: DraftObject,
  column: ObjectColumn,
  chosen: DescribedColumn,
  kind: DatabaseKind,
): boolean {
  const { name, nullable, sample } = column;
  // SQLite does not enforce types, so a row beyond the sample may have a cell that the property cannot have.
  const isPartlySampled = sample !== null && object.estimatedRows === null && chosen.sql === null;
  if (key.columns.includes(name) || chosen.isCollection || object.provenKey.includes(name)) return false;
  return nullable || mayBeUnreadable(chosen, kind, column) || isPartlySampled;
}

/**
 * Returns whether the column may hold cells that the property cannot have, such as infinity, NaN and zero dates: it does, or
 * nobody has looked. The service returns null for them.
 */
function mayBeUnreadable(
  { type, storage }: DescribedColumn,
  kind: DatabaseKind,
  { definition, holdsUnreadable = true }: ObjectColumn,
): boolean {
  // A mapped Boolean has two cells, and the column may have others. So has a mapped enumeration.
  if (typeof storage === "object" && storage !== null) return true;
  if (kind === "sqlite") return false;
  // Every numeric of PostgreSQL can be NaN, with and without a precision. Its money, stored as text, cannot.
  if (type === "Edm.Decimal") return kind === "postgres" && storage !== "text" && holdsUnreadable;
  // A tinyint(1) of MariaDB has all numbers of a byte.
  if (type === "Edm.Boolean") return definition === "tinyint(1)";
  // PostgreSQL has the time 24:00.
  if (type === "Edm.TimeOfDay") return kind === "postgres" && holdsUnreadable;
  return (type === "Edm.Date" || type === "Edm.DateTimeOffset") && holdsUnreadable;
}
