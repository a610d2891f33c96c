import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { keptPer } from "../../base/memo.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { comparedPlanOf } from "../columns/table-columns.ts";
import { ON_SEVERAL_MACHINES } from "../placement/refusals.ts";
import { mayRepeatValues } from "../statement/sql-form.ts";
import type { SqlTable } from "./sql-table.ts";

/**
 * Whether two rows of a table can have one key value, in different cells that its constraints distinguish: a Guid in upper case
 * and in lower case. A write then reads its row first, and reaches none of several rows.
 * @see docs/reference/table-writes.md
 */
export const mayShareKeys: (table: SqlTable) => boolean = keptPer(({ entityType, plans }) =>
  entityType.key.some((property) => {
    const plan = comparedPlanOf(property, plans);
    return plan.kind === "scalar" && mayRepeatValues(plan.format.form);
  }),
);

/**
 * Returns the property outside of the key whose column decides on the machine of a row; null without such a property, or if it is not
 * known. The database keeps the key unique on each machine at most.
 */
export function placeBeyondKey({ reader, entityType }: SqlTable): StructuralProperty | null {
  const field = reader.statements.placement().decidedBy;
  if (typeof field !== "string") return null;
  const { properties, ignoredProperties } = entityType;
  return [...properties, ...ignoredProperties].find((each) => each.field === field && !each.isKey) ?? null;
}

/** Checks how many rows a statement wrote. @throws ODataError `Conflict` if several have the key, which fails the transaction */
export function checkOneRow(table: SqlTable, count: number): void {
  if (count < 2) return;
  if (mayShareKeys(table)) throw sharedKey();
  if (placeBeyondKey(table) !== null) throw protocolError("Conflict", ON_SEVERAL_MACHINES);
}

/** Whether several rows with one key may be different entities. */
export function isAmbiguous(table: SqlTable): boolean {
  return mayShareKeys(table) || placeBeyondKey(table) !== null;
}

/** Returns the error for a write that would reach several rows. */
export function sharedKey(): ODataError {
  const problem = "Several entities have this key, in different forms: the database must keep one of them.";
  return protocolError("Conflict", problem);
}
