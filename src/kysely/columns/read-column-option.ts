import { adviseName, describe, isObject } from "../../definition/option-table.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { readConversion } from "./converted-plan.ts";
import { readStorage, type ReportFault, type StorageForm } from "./storage-option.ts";

/** The option of one column, checked as far as the column alone allows. */
export interface ColumnFacts {
  readonly name: string | undefined;
  /** The expression that replaces the column. */
  readonly sql: string | undefined;
  readonly storage: StorageForm | undefined;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly convert: ReturnType<typeof readConversion>;
}

const OPTION_NAMES: readonly string[] = ["name", "sql", "storage", "convert", "columns"];

/**
 * Reads the option of a column.
 * @param path the keys of the property and of the complex properties around it, with dots
 */
export function readColumnOption(
  given: unknown,
  path: string,
  property: StructuralProperty,
  report: ReportFault,
): ColumnFacts {
  const none: ColumnFacts = { name: undefined, sql: undefined, storage: undefined, columns: {}, convert: undefined };
  if (given === undefined) return none;
  if (typeof given === "string" && given !== "") return { ...none, name: given };
  if (!isObject(given)) {
    report(`\`columns.${path}\` is ${describe(given)}.`, "Give the name of the column, or { name, storage, columns }.");
    return none;
  }
  for (const name of Object.keys(given)) {
    if (OPTION_NAMES.includes(name)) continue;
    report(`\`columns.${path}\` has no option \`${name}\`.`, adviseName(name, OPTION_NAMES));
  }
  const { name, storage, columns, convert } = given;
  if (name !== undefined && (typeof name !== "string" || name === "")) {
    report(`\`columns.${path}.name\` is ${describe(name)}.`, "Give the name of a column.");
  }
  if (columns !== undefined && !isObject(columns)) {
    report(`\`columns.${path}.columns\` is ${describe(columns)}.`, "Give the columns of the members by their keys.");
  }
  const expression = readExpression(given, path, report);
  return {
    name: typeof name === "string" && name !== "" ? name : undefined,
    sql: expression,
    storage: readStorage(storage, `columns.${path}.storage`, property, report),
    columns: isObject(columns) ? columns : {},
    convert: readConversion(convert, `columns.${path}.convert`, report),
  };
}

function readExpression(
  { sql, name, columns }: Readonly<Record<string, unknown>>,
  path: string,
  report: ReportFault,
): string | undefined {
  if (sql === undefined) return undefined;
  if (typeof sql !== "string" || sql.trim() === "") {
    report(`\`columns.${path}.sql\` is ${describe(sql)}.`, 'Give an expression over the columns of the row: "a + b".');
    return undefined;
  }
  if (name === undefined && columns === undefined) return sql;
  const beside = name === undefined ? "columns" : "name";
  report(
    `\`columns.${path}\` has both \`sql\` and \`${beside}\`.`,
    "Keep `sql` for an expression, otherwise remove it.",
  );
  return undefined;
}
