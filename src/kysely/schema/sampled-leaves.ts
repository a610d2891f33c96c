import type { SchemaFinding } from "../../errors/schema-finding.ts";
import type { ColumnPlan, ScalarPlan } from "../columns/table-columns.ts";
import type { CheckedSet } from "./table-joins.ts";

/** A column with one value, and the path of its property. */
export interface Leaf {
  readonly path: string;
  readonly plan: ScalarPlan;
}

/** Returns the columns of properties that clients read, without those of other findings. */
export function leavesOf(checked: CheckedSet, known: readonly SchemaFinding[]): readonly Leaf[] {
  const ignored = new Set(checked.set.entitySet.entityType.ignoredProperties.map(({ field }) => field));
  return comparedLeaves(checked, known).filter(({ path }) => !ignored.has(path.split(".", 1).join()));
}

/** Returns the same columns, and those of ignored properties, which rules and navigations may compare. */
export function comparedLeaves({ set, rows }: CheckedSet, known: readonly SchemaFinding[]): readonly Leaf[] {
  const own = known.filter((each) => each.set === set.entitySet.name);
  const faulty = own.filter(({ severity, code }) => severity === "error" || code === "C02");
  if (faulty.some(({ code }) => code === "C01" || code === "C00")) return [];
  const unread = new Set(faulty.map(({ property }) => property));
  return Array.from(rows.plans, ([field, plan]) => scalars(plan, field))
    .flat()
    .filter(({ path }) => !unread.has(path));
}

function scalars(plan: ColumnPlan, path: string): readonly Leaf[] {
  if (plan.kind === "complex") {
    return Array.from(plan.members, ([member, each]) => scalars(each, `${path}.${member}`)).flat();
  }
  return plan.kind === "scalar" ? [{ path, plan }] : [];
}
