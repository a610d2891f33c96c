import { adviseName, describe, isObject } from "../../definition/option-table.ts";
import { isTableName, tableNameText, type TableName } from "../../edm/table-name.ts";
import type { ReportFault } from "./storage-option.ts";
import type { PlansByField } from "./table-columns.ts";

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

/**
 * Whether the database is distributed, and how this table is: `true` if that is unknown, `{ by, with }` by a column,
 * `"reference"` for a table that each machine has completely.
 */
export type DistributedOption<Field extends string> = boolean | "reference" | DistributedBy<Field>;

/** How a table of a distributed database is stored. */
export type Distribution =
  | { readonly kind: "unknown" | "reference" }
  | { readonly kind: "column"; readonly field: string; readonly with: string | undefined };

const UNKNOWN: Distribution = Object.freeze({ kind: "unknown" });
const REFERENCE: Distribution = Object.freeze({ kind: "reference" });

const FIX =
  'Give true, "reference" for a table that each machine has completely, or the property whose column distributes the table: { by: "customerId", with: "orders" }.';

/**
 * Reads the option `distributed`.
 * @param report receives each fault
 * @returns null if the database is not distributed, undefined after a fault
 */
export function readDistribution(given: unknown, report: ReportFault): Distribution | null | undefined {
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
export function checkDistribution(
  { field }: Extract<Distribution, { readonly kind: "column" }>,
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
