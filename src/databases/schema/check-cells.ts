import { sql } from "kysely";
import { isODataError } from "../../base/errors/odata-error.ts";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { messageOf } from "../../base/message-of.ts";
import { columnName, wantedTable } from "../columns/column-name.ts";
import type { ScalarPlan, ColumnPlan } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import type { CatalogueSteps } from "../introspect/catalogue-steps.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import { rawExpression } from "../translate/relation.ts";
import { compileStatement } from "../translate/utc-session.ts";
import type { CheckedSet } from "./table-rows.ts";

/** So many rows show most faults of other programs, and are read fast. */
const SAMPLED = 1000;

/** A cell as requests receive it. */
interface Cell {
  readonly cell: unknown;
  /** Whether it is null although the column is not. */
  readonly isLost: boolean;
}

/**
 * Reads the first rows of each set as requests do, and counts the cells that cannot be read.
 * @param known the other findings: columns that they name are not read
 */
export function* checkCells(
  sets: readonly CheckedSet[],
  { db, profile }: { readonly db: AnyKysely; readonly profile: Database },
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  const findings: SchemaFinding[] = [];
  for (const checked of sets) {
    const leaves = leavesOf(checked, known);
    if (leaves.length === 0) continue;
    const sources = leaves.map(({ plan: { column, expression, format } }) => {
      const source = expression === undefined ? sql`${sql.id(column)}` : rawExpression(expression);
      return { source, selected: format.toSelected(source) };
    });
    // PostgreSQL writes infinite timestamps as null.
    const lost = sources.map(
      ({ source, selected }) => sql`case when ${source} is not null and (${selected}) is null then 1 end`,
    );
    const cells = [...sources.map(({ selected }) => selected), ...lost].map(
      (cell, index) => sql`${cell} as ${sql.id(`c${String(index)}`)}`,
    );
    const statement = sql`select ${sql.join(cells)} from ${sqlTableName(checked.rows.table)} limit ${sql.lit(SAMPLED)}`;
    const inUtc = leaves.some(({ plan }) => plan.format.form.inUtcSession === true);
    const compiled = compileStatement(statement, db, profile, { inUtc });
    // A column whose expression binds values is left to the first request.
    if (compiled.parameters.length > 0) continue;
    try {
      const read = { sql: compiled.sql, parameters: [], width: cells.length };
      const rows = yield { ...read, rowsOf: wantedTable(checked.rows.table, db), most: SAMPLED };
      for (const [index, leaf] of leaves.entries()) {
        const found = rows.map((row): Cell => ({ cell: row[index], isLost: Number(row[leaves.length + index]) === 1 }));
        findings.push(...unreadableCells(checked, leaf, found, db));
      }
    } catch (error) {
      if (isODataError(error) && error.status === 503) throw error;
      findings.push(unreadableRows(checked, error, db));
    }
  }
  return findings;
}

function unreadableCells(
  { set, rows: { table, forgives } }: CheckedSet,
  { path, plan }: Leaf,
  rows: readonly Cell[],
  db: AnyKysely,
): readonly SchemaFinding[] {
  const reasons = rows.flatMap((row) => reasonOf(row, plan));
  const [first] = reasons;
  if (first === undefined) return [];
  const name = wantedTable(table, db).names.join(".");
  const column = plan.expression === undefined ? columnName(plan.column, db) : undefined;
  const of = column === undefined ? `The expression of \`${path}\`` : `The column \`${name}.${column}\``;
  const isNull = forgives && !plan.property.isKey;
  const count = reasons.length === 1 ? "1 cell" : `${String(reasons.length)} cells`;
  return [
    {
      set: set.entitySet.name,
      property: path,
      table: name,
      ...(column === undefined ? {} : { column }),
      code: "C12",
      severity: isNull ? "warning" : "error",
      message: `${of} has ${count} in its first ${String(rows.length)} rows that cannot be read: ${first}`,
      fix: isNull
        ? "Correct the rows: responses contain null."
        : 'Correct the rows, or let responses contain null: declare the property with `.nullable()`, and the set with `unreadable: "null"`.',
    },
  ];
}

function reasonOf({ cell, isLost }: Cell, { format }: ScalarPlan): readonly string[] {
  if (isLost) return ["The database returns null in place of the value."];
  if (cell === null || cell === undefined) return [];
  try {
    format.toValue(cell);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

function unreadableRows({ set, rows: { table } }: CheckedSet, error: unknown, db: AnyKysely): SchemaFinding {
  const name = wantedTable(table, db).names.join(".");
  const cause: unknown = isODataError(error) ? (error.cause ?? error) : error;
  const reason = messageOf(cause);
  const message = `The database refuses to read the first rows of \`${name}\`: ${reason}.`;
  const fix = "Correct the rows, or the storage of the properties.";
  return { set: set.entitySet.name, table: name, code: "C12", severity: "error", message, fix };
}

/** A column with one value, and the path of its property. */
interface Leaf {
  readonly path: string;
  readonly plan: ScalarPlan;
}

/** Returns the columns of properties that clients read, without those of other findings. */
function leavesOf(checked: CheckedSet, known: readonly SchemaFinding[]): readonly Leaf[] {
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
