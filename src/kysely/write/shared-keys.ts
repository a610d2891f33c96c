import { keptPer } from "../../base/memo.ts";
import { type ODataError, protocolError } from "../../errors/odata-error.ts";
import { comparedPlanOf } from "../columns/table-columns.ts";
import { mayRepeatValues } from "../statement/sql-form.ts";
import type { SqlTable } from "./sql-table.ts";

/**
 * Whether two rows of a table can have one key value, in different cells that its constraints tell apart: a Guid in upper case
 * and in lower case. A write then reads its row first, and reaches none of several rows.
 * @see docs/reference/table-writes.md
 */
export const mayShareKeys: (table: SqlTable) => boolean = keptPer(({ entityType, plans }) =>
  entityType.key.some((property) => {
    const plan = comparedPlanOf(property, plans);
    return plan.kind === "scalar" && mayRepeatValues(plan.format.form);
  }),
);

/** Checks how many rows a statement wrote. @throws ODataError `Conflict` if several have the key, which fails the transaction */
export function checkOneRow(table: SqlTable, count: number): void {
  if (count > 1 && mayShareKeys(table)) throw sharedKey();
}

/** Returns the error for a write that would reach several rows. */
export function sharedKey(): ODataError {
  const problem = "Several entities have this key, in different forms: the database must keep one of them.";
  return protocolError("Conflict", problem);
}
