import type { StructuralProperty } from "../../edm/model.ts";
import type { ReportFault } from "./storage-option.ts";
import type { ColumnPlan, PlansByField } from "./table-columns.ts";

/** The names of the columns that writes set, with the paths of the properties that they come from. */
type Written = ReadonlyMap<string, readonly string[]>;

/**
 * Reports columns that writes of a table would set from several properties: one value would replace the other.
 * @param plans the columns of the properties
 * @param rowVersion the property that counts writes; null for none
 * @param columnKey returns the same text for names of the same column
 * @see docs/reference/storage.md
 */
export function checkSharedColumns(
  plans: PlansByField,
  rowVersion: StructuralProperty | null,
  columnKey: (name: string) => string,
  report: ReportFault,
): void {
  const written = new Map<string, string[]>();
  const names = new Map<string, string>();
  const visit = (plan: ColumnPlan, path: string): void => {
    const { property } = plan;
    if (property.computed && property !== rowVersion) return;
    if (plan.kind === "complex") {
      for (const [field, member] of plan.members) visit(member, `${path}.${field}`);
      return;
    }
    if (plan.expression !== undefined) return;
    const key = columnKey(plan.column);
    names.set(key, names.get(key) ?? plan.column);
    written.set(key, [...(written.get(key) ?? []), path]);
  };
  for (const [field, plan] of plans) visit(plan, field);
  reportShared(written, names, report);
}

function reportShared(written: Written, names: ReadonlyMap<string, string>, report: ReportFault): void {
  for (const [key, paths] of written) {
    if (paths.length === 1) continue;
    const list = `${paths
      .slice(0, -1)
      .map((path) => `\`${path}\``)
      .join(", ")} and \`${paths.at(-1) ?? ""}\``;
    report(
      `${list} are written to the same column, \`${names.get(key) ?? key}\`: one value would replace the other.`,
      "Declare all but one as `.computed()`, or give each its own column in `columns`. Sets that only read may share columns.",
    );
  }
}
