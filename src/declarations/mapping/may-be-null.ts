import type { DatabaseKind, ObjectColumn } from "../../introspect/database-schema.ts";
import type { DescribedColumn } from "../described-service.ts";
import type { DraftObject } from "./draft-object.ts";

/** Returns whether the property of a column may be null in responses. Collections are empty instead. */
export function mayBeNull(
  { key, object }: DraftObject,
  { name, nullable }: ObjectColumn,
  chosen: DescribedColumn,
  kind: DatabaseKind,
): boolean {
  if (key.columns.includes(name) || chosen.isCollection || object.provenKey.includes(name)) return false;
  return nullable || mayBeUnreadable(chosen, kind);
}

/**
 * Returns whether the type of the database has values that the property cannot have, such as infinity, NaN and zero dates.
 * The service returns null for them.
 */
function mayBeUnreadable({ type, facets }: DescribedColumn, kind: DatabaseKind): boolean {
  if (kind === "sqlite") return false;
  if (type === "Edm.Decimal") return kind === "postgres" && facets.precision === undefined;
  return type === "Edm.Date" || type === "Edm.DateTimeOffset";
}
