import { isDeclaration } from "../../definition/model/declaration-kind.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import type { ReportFault } from "./storage-option.ts";
import type { ColumnPlan, PlansByField } from "./table-columns.ts";

/** Reports a wrong choice of table and query, and expressions that clients could write. */
export function checkTableOptions(
  { table, from, operations, columns, rowVersion, set }: Readonly<Record<string, unknown>>,
  report: ReportFault,
  { properties }: EntityTypeDeclaration,
): void {
  if (from !== undefined && table !== undefined) {
    report("sqlEntitySet has both `table` and `from`.", "Keep `table` for a table, otherwise `from`.");
  } else if (isObject(table) && ("compile" in table || "sql" in table)) {
    // The reader reports any other value that is not a table.
    report("`table` is a query.", "Give the query as `from`.");
  }
  const writes = Array.isArray(operations) ? operations.filter((each) => each !== "read") : [];
  if (from !== undefined && writes.length > 0) {
    report(`The rows of a query cannot be written, but \`operations\` contains ${describe(writes[0])}.`, WRITE_FIX);
  }
  const fieldsSet = isObject(set) ? Object.keys(set) : [];
  if (typeof rowVersion === "string" && fieldsSet.includes(rowVersion)) {
    report(`\`set\` names \`${rowVersion}\`, whose values \`rowVersion\` counts.`, "Remove it from one of them.");
  }
  if (!isObject(columns)) return;
  for (const [field, option] of Object.entries(columns)) {
    if (!isObject(option) || !hasExpression(option)) continue;
    if (fieldsSet.includes(field)) {
      report(`\`set\` names \`${field}\`, which is an SQL expression.`, "Remove it from `set`.");
      continue;
    }
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

/** The handlers that change a row. In place of those of the table, they count no writes. */
const CHANGES = ["replace", "patch"] as const;

/**
 * Reports a `rowVersion` that is not a computed integer, and handlers of the application that would not count.
 * @see docs/reference/table-writes.md, Writes
 */
export function checkRowVersion(
  { name, properties }: EntityType,
  { rowVersion, ...options }: { readonly rowVersion: unknown; readonly replace?: unknown; readonly patch?: unknown },
  report: ReportFault,
): void {
  for (const change of CHANGES) {
    if (options[change] === undefined) continue;
    report(
      `\`rowVersion\` counts the writes of the table, but \`${change}\` is your own handler: it would neither count nor compare.`,
      `Remove \`${change}\`, and list "${change}" in \`operations\`. Or remove \`rowVersion\`: your statements then add 1 to the column, and repeat \`ctx.expected\` in their \`where\`.`,
    );
  }
  const property = properties.find(({ field }) => field === rowVersion);
  const fix = "Name a property such as `version: edm.int32().computed()`.";
  if (property === undefined) {
    report(`\`rowVersion\` is ${describe(rowVersion)}, which is not a property of ${name}.`, fix);
    return;
  }
  const isInteger = /^Edm\.(?:Byte|SByte|Int\d+)$/.test(property.type.name) && !property.isCollection;
  if (isInteger && property.computed && !property.isKey) return;
  report(`\`rowVersion\`, \`${property.field}\`, is not a computed integer, or is part of the key.`, fix);
}

/** The properties that writes of a table set. */
interface WrittenTable {
  readonly written: readonly StructuralProperty[];
  readonly rowVersion: StructuralProperty | null;
}

/** The names of the columns that writes set, with the paths of the properties that they come from. */
type Written = ReadonlyMap<string, readonly string[]>;

/**
 * Reports columns that writes of a table would set from several properties: one value would replace the other.
 * @param plans the columns of the properties
 * @param table the properties that writes set, and the property that counts writes; null for none
 * @param columnKey returns the same text for names of the same column
 * @see docs/reference/storage.md
 */
export function checkSharedColumns(
  plans: PlansByField,
  { written: properties, rowVersion }: WrittenTable,
  columnKey: (name: string) => string,
  report: ReportFault,
): void {
  const written = new Map<string, string[]>();
  const names = new Map<string, string>();
  const visit = (plan: ColumnPlan, path: string): void => {
    if (plan.kind === "complex") {
      for (const [field, member] of plan.members) {
        if (!member.property.computed) visit(member, `${path}.${field}`);
      }
      return;
    }
    if (plan.expression !== undefined) return;
    const key = columnKey(plan.column);
    names.set(key, names.get(key) ?? plan.column);
    written.set(key, [...(written.get(key) ?? []), path]);
  };
  for (const [field, plan] of plans) {
    if (plan.property === rowVersion || properties.some((each) => each.field === field)) visit(plan, field);
  }
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

/** Returns the keys of Guid properties that are stored as text in any letter case. */
export function textGuids(type: EntityTypeDeclaration, columns: object | undefined): readonly string[] {
  const { properties, ignoredProperties } = declaredEntityType(type);
  const options: Readonly<Record<string, unknown>> = { ...columns };
  return [...properties, ...ignoredProperties].flatMap(({ field, type: { name } }) => {
    const option = options[field];
    return name === "Edm.Guid" && isObject(option) && option["storage"] === "text" ? [field] : [];
  });
}

/** Returns the keys of properties with a `convert`. */
export function convertedFields(columns: object | undefined): readonly string[] {
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(columns ?? {});
  return entries.flatMap(([field, option]) => (isObject(option) && option["convert"] !== undefined ? [field] : []));
}

/** Returns the keys of properties whose values are expressions of the statement. */
export function expressionFields(columns: object | undefined): readonly string[] {
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(columns ?? {});
  return entries.flatMap(([field, option]) => (isObject(option) && option["sql"] !== undefined ? [field] : []));
}

/** Reports converted columns in `search` and `rowVersion`, which the database must evaluate. */
export function checkUncomparable(
  fields: readonly string[],
  { search, rowVersion }: { readonly search?: unknown; readonly rowVersion?: unknown },
  report: ReportFault,
): void {
  const searched: readonly unknown[] = Array.isArray(search) ? search : [];
  for (const field of fields) {
    if (searched.includes(field)) {
      report(`\`search\` names \`${field}\`, whose column has a \`convert\`.`, "Remove it from `search`.");
    }
    if (rowVersion === field) report(`\`rowVersion\`, \`${field}\`, has a \`convert\`.`, "Remove `convert`.");
  }
}
