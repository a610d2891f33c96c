import { adviseName, describe, isObject } from "../../definition/option-table.ts";
import { isTableName, tableNameText, type TableName } from "../../edm/table-name.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { PlansByField } from "../columns/table-columns.ts";

/** The column that distributes the rows of a table over machines. */
interface DistributedBy<Field extends string = string> {
  /** The property whose column distributes the table. */
  readonly by: Field;
  /**
   * The table whose rows with the same value are on the same machine, as `colocate_with` of Citus names it; absent: only
   * tables that name this one are co-located with it.
   */
  readonly with?: TableName | undefined;
}

/** The option for rows that are not all on one machine. */
export interface PlacementOptions<Field extends string> {
  /**
   * Whether the database is distributed, such as Citus, and how: `true`, `{ by: "customerId", with: "orders" }` for a table that
   * the column of a property distributes, or `"reference"` for a table that each machine has completely. Statements avoid lateral
   * subqueries, and read the keys of long pages first; they correlate and join only tables that are declared to be co-located.
   * All sets of the database need a value other than false. Default false.
   */
  readonly distributed?: boolean | "reference" | DistributedBy<Field> | undefined;
}

/** The same option, unchecked. */
export interface UncheckedPlacement {
  readonly distributed?: unknown;
}

/** The name of the option. */
export const PLACEMENT_OPTION: keyof UncheckedPlacement = "distributed";

/** How a table of a distributed database is stored. */
export type StatedPlacement =
  | { readonly kind: "unknown" | "reference" }
  | { readonly kind: "column"; readonly field: string; readonly with: string | undefined };

const UNKNOWN: StatedPlacement = Object.freeze({ kind: "unknown" });
const REFERENCE: StatedPlacement = Object.freeze({ kind: "reference" });

const FIX =
  'Give true, "reference" for a table that each machine has completely, or the property whose column distributes the table: { by: "customerId", with: "orders" }.';

/**
 * Reads the option.
 * @param report receives each fault
 * @returns null if the database is on one machine, undefined after a fault
 */
export function readPlacement(
  { distributed: given = false }: UncheckedPlacement,
  report: ReportFault,
): StatedPlacement | null | undefined {
  if (given === false) return null;
  if (given === true) return UNKNOWN;
  if (given === "reference") return REFERENCE;
  if (!isObject(given)) {
    report(`\`distributed\` is ${describe(given)}.`, FIX);
    return undefined;
  }
  const { by, with: partner, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    report(`\`distributed\` has no option \`${unknown}\`.`, adviseName(unknown, ["by", "with"]));
    return undefined;
  }
  if (typeof by !== "string") {
    report(`\`distributed.by\` is ${describe(by)}.`, FIX);
    return undefined;
  }
  if (partner !== undefined && !isTableName(partner)) {
    const fix = "Give the name of the table that this one is co-located with, or omit it.";
    report(`\`distributed.with\` is ${describe(partner)}.`, fix);
    return undefined;
  }
  return { kind: "column", field: by, with: partner === undefined ? undefined : tableNameText(partner) };
}

/** Reports a distribution by anything but one column of the table. */
export function checkStated(
  { field }: Extract<StatedPlacement, { readonly kind: "column" }>,
  typeName: string,
  plans: PlansByField,
  report: ReportFault,
): void {
  const plan = plans.get(field);
  if (plan === undefined) {
    const message = `\`distributed.by\` is "${field}", which is not a property of ${typeName}.`;
    report(message, adviseName(field, [...plans.keys()]));
    return;
  }
  if (plan.kind === "scalar" && plan.expression === undefined) return;
  report(
    `\`distributed.by\` names \`${field}\`, which is not stored in one column of the table.`,
    "Name the property of the column that distributes the table. It may be an ignored property.",
  );
}
