import { sql } from "kysely";
import { isODataError } from "../../errors/odata-error.ts";
import type { SchemaFinding } from "../../errors/schema-finding.ts";
import type { CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import type { Row } from "../../query/row-shape.ts";
import type { ScalarPlan } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import { sqlTableName } from "../statement/sql-table-name.ts";
import { compileStatement } from "../translate/utc-session.ts";
import { comparedLeaves, type Leaf } from "./sampled-leaves.ts";
import type { CheckedSet } from "./table-joins.ts";
import { columnName, wantedTable } from "./table-rows.ts";

/** So many rows show most faults of other programs, and are read within a millisecond or two. */
const SAMPLED = 1000;

/** Types that have one text for each value, if odatakit writes it. */
const TEXTS: ReadonlySet<string> = new Set(["Edm.Guid", "Edm.DateTimeOffset", "Edm.Date"]);

/**
 * Reads the first rows of each set, and counts the texts in another form than their values have: responses show them, but keys
 * and filters may not find them.
 * @param known the other findings: columns that they name are not read
 */
export function* checkLostCells(
  sets: readonly CheckedSet[],
  { db, profile }: { readonly db: AnyKysely; readonly profile: DialectProfile },
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  const findings: SchemaFinding[] = [];
  // Other databases have types for these values.
  if (!profile.values.guidsAreTexts) return findings;
  for (const checked of sets) {
    const leaves = comparedLeaves(checked, known).filter(({ plan }) => isBareText(plan));
    if (leaves.length === 0) continue;
    const cells = leaves.flatMap(({ plan }) => sampledCells(plan));
    const named = cells.map((cell, index) => sql`${cell} as ${sql.id(`c${String(index)}`)}`);
    const statement = sql`select ${sql.join(named)} from ${sqlTableName(checked.rows.table)} limit ${sql.lit(SAMPLED)}`;
    try {
      const rows = yield { sql: compileStatement(statement, db, profile).sql, parameters: [], width: cells.length };
      for (const [index, leaf] of leaves.entries()) findings.push(...lostCells(checked, leaf, rows, index * 2, db));
    } catch (error) {
      if (isODataError(error) && error.status === 503) throw error;
      // The rows cannot be read: other checks say so, or the first request.
    }
  }
  return findings;
}

/** Whether values are compared with the bare cells, each value with one text. */
function isBareText({ property, expression, storage, format: { form } }: ScalarPlan): boolean {
  if (!TEXTS.has(property.type.name) || expression !== undefined || storage !== undefined) return false;
  return form.exact !== null && form.sortable === undefined && form.equatable === undefined;
}

/** Selects a cell, and whether the collation of its column tells it from its text in lower case. */
function sampledCells({ column, format }: ScalarPlan): readonly Sql[] {
  const source = sql`${sql.id(column)}`;
  return [format.toSelected(source), sql`case when ${source} <> lower(${source}) then 1 end`];
}

function lostCells(
  { set, rows: { table } }: CheckedSet,
  { path, plan }: Leaf,
  rows: readonly Row[],
  index: number,
  db: AnyKysely,
): readonly SchemaFinding[] {
  const { property } = plan;
  const isGuid = property.type.name === "Edm.Guid";
  const lost = rows.filter((row) => (isGuid ? Number(row[index + 1]) === 1 : isInOtherForm(plan, row[index])));
  const [first] = lost;
  if (first === undefined) return [];
  const name = wantedTable(table, db).names.join(".");
  const column = columnName(plan.column, db);
  const count = lost.length === 1 ? "1 text" : `${String(lost.length)} texts`;
  const form = isGuid ? "upper case" : "another form than odatakit writes";
  const effect = isGuid
    ? "keys and filters do not find them"
    : "comparisons, orders and joins read them as texts, and miss some";
  return [
    {
      set: set.entitySet.name,
      property: path,
      table: name,
      column,
      code: "C16",
      severity: isGuid || property.isKey ? "error" : "warning",
      message: `The column \`${name}.${column}\` has ${count} in ${form} in its first ${String(rows.length)} rows, such as ${JSON.stringify(String(first[index]))}: responses show them, but ${effect}.`,
      fix:
        property.type.name === "Edm.Date"
          ? "Correct the rows: write `YYYY-MM-DD`."
          : `Set \`columns: { ${path}: { storage: "text" } }\`, which finds them in every form, or correct the rows.`,
    },
  ];
}

/** Whether a cell has a value, but is not the cell of this value. Cells that cannot be read are findings of their own. */
function isInOtherForm({ format }: ScalarPlan, cell: unknown): boolean {
  if (typeof cell !== "string") return false;
  try {
    return format.form.floor(format.toValue(cell)) !== cell;
  } catch {
    return false;
  }
}
