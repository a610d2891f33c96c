import { isDeclaration } from "../../definition/model/declaration-kind.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ReportFault } from "./storage-option.ts";

/** Reports a wrong choice of table and query, and expressions that clients could write. */
export function checkTableOptions(
  { table, from, operations, columns, rowVersion }: Readonly<Record<string, unknown>>,
  report: ReportFault,
  { properties }: EntityTypeDeclaration,
): void {
  if (from !== undefined && table !== undefined) {
    report("sqlEntitySet has both `table` and `from`.", "Keep `table` for a table, otherwise `from`.");
  } else if (isObject(table) && ("compile" in table || "sql" in table)) {
    // The reader reports anything else that is no table.
    report("`table` is a query.", "Give the query as `from`.");
  }
  const writes = Array.isArray(operations) ? operations.filter((each) => each !== "read") : [];
  if (from !== undefined && writes.length > 0) {
    report(`The rows of a query cannot be written, but \`operations\` contains ${describe(writes[0])}.`, WRITE_FIX);
  }
  if (!isObject(columns)) return;
  for (const [field, option] of Object.entries(columns)) {
    if (!isObject(option) || !hasExpression(option)) continue;
    if (rowVersion === field) {
      report(`\`rowVersion\`, \`${field}\`, is an expression.`, "Name a property with a column.");
    }
    const property: unknown = isObject(properties) ? properties[field] : undefined;
    const isComputed = isDeclaration(property, "Property") && property.declared.computed;
    if (isComputed || writes.every((each) => each === "delete")) continue;
    report(`\`${field}\` is an SQL expression, which cannot be written.`, "Declare the property as `.computed()`.");
  }
}

const WRITE_FIX = 'Give `operations: ["read"]`, or a `table`.';

/** Whether a column, or one of its members, is an expression. */
function hasExpression({ sql, columns }: Readonly<Record<string, unknown>>): boolean {
  if (sql !== undefined) return true;
  return isObject(columns) && Object.values(columns).some((each) => isObject(each) && hasExpression(each));
}
