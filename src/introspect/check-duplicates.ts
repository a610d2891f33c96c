import type { SchemaFinding } from "../errors/schema-finding.ts";
import type { CatalogueSteps } from "./catalogue-steps.ts";
import { findColumn } from "./compare-tables.ts";
import type { DatabaseKind, SchemaObject } from "./database-schema.ts";
import type { ExpectedTable } from "./expected-table.ts";
import { quoteName } from "./quote-name.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/**
 * Looks for rows with the same key where the database does not prevent them.
 * @param known the findings of the schema check
 * @returns these findings, as errors if such rows exist and as warnings if not, and further ones for views
 */
export function* checkDuplicates(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  const findings: SchemaFinding[] = known.filter(({ code }) => code !== "C06");
  const missing = known.filter(({ code }) => code === "C06");
  for (const table of expected) {
    const object = objects.get(table.text);
    const key = object === undefined ? [] : keyColumns(table, object, kind);
    const finding = missing.find(
      ({ set, table: name, column }) =>
        set === table.set && name === table.names.join(".") && column === key.join(", "),
    );
    const isView = object !== undefined && object.kind !== "table" && !isProven(object, key);
    if (key.length === 0 || (finding === undefined && !isView)) continue;
    const columns = key.map((name) => quoteName(name, kind)).join(", ");
    const hasDuplicates =
      (yield {
        sql: `select 1 as c0 from ${table.text} group by ${columns} having count(*) > 1 limit 1`,
        parameters: [],
        width: 1,
      }).length > 0;
    if (finding !== undefined) findings.push(judged(finding, hasDuplicates));
    else if (hasDuplicates) findings.push(duplicatesOf(table, key));
  }
  return findings;
}

function keyColumns(table: ExpectedTable, object: SchemaObject, kind: DatabaseKind): readonly string[] {
  const found = table.key.flatMap((name) => findColumn(name, object, { ignoresCase: kind !== "postgres" }) ?? []);
  return found.length === table.key.length ? found.map(({ name }) => name) : [];
}

function isProven({ provenKey }: SchemaObject, key: readonly string[]): boolean {
  return provenKey.length > 0 && provenKey.every((name) => key.includes(name));
}

function judged(finding: SchemaFinding, hasDuplicates: boolean): SchemaFinding {
  const rows = hasDuplicates ? "The table contains such rows." : "The rows are unique now.";
  const severity = hasDuplicates ? "error" : "warning";
  return { ...finding, severity, message: `${finding.message} ${rows}` };
}

function duplicatesOf({ set, names }: ExpectedTable, key: readonly string[]): SchemaFinding {
  const table = names.join(".");
  const columns = key.join(", ");
  return {
    set,
    table,
    column: columns,
    code: "C06",
    severity: "error",
    message: `Rows of the view \`${table}\` share a key: (${columns}) is not unique.`,
    fix: "Declare a key whose values no two rows share, or remove the duplicates from the view.",
  };
}
