import type { ColumnPlan, PlansByField } from "../columns/table-columns.ts";

/**
 * Returns plans that tell which columns may have NULL although their properties are not nullable.
 * @param isProven whether a column of the table has none
 */
export function withSuspects(plans: PlansByField, isProven: (column: string) => boolean): PlansByField {
  return new Map(Array.from(plans, ([field, plan]) => [field, withSuspect(plan, isProven)]));
}

function withSuspect(plan: ColumnPlan, isProven: (column: string) => boolean): ColumnPlan {
  if (plan.kind === "complex") return { ...plan, members: withSuspects(plan.members, isProven) };
  if (plan.kind !== "scalar" || plan.nullable || plan.property.isKey) return plan;
  return plan.expression === undefined && isProven(plan.column) ? plan : { ...plan, isSuspect: true };
}
