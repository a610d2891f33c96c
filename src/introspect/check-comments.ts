import type { SchemaFinding } from "../errors/schema-finding.ts";
import { findColumn } from "./compare-tables.ts";
import type { ExpectedTable } from "./expected-table.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/** Finds descriptions that differ from the comments of the database, where both exist. */
export function checkComments(
  expected: readonly ExpectedTable[],
  { objects, database }: WantedObjects,
): readonly SchemaFinding[] {
  const ignoresCase = database.kind !== "postgres";
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    if (object === undefined) return [];
    const own = differs(table.description, object.comment) ? [finding(table, undefined, object.comment)] : [];
    const ofColumns = table.columns.flatMap(({ name, property, description }) => {
      const found = findColumn(name, object, { ignoresCase });
      const comment = object.columns.find((column) => column.name === found?.name)?.comment ?? null;
      return differs(description, comment) ? [finding(table, { name, property }, comment)] : [];
    });
    return [...own, ...ofColumns];
  });
}

function differs(description: string | undefined, comment: string | null): boolean {
  return description !== undefined && comment !== null && comment !== "" && description !== comment;
}

function finding(
  { set, names }: ExpectedTable,
  column: { readonly name: string; readonly property: string } | undefined,
  comment: string | null,
): SchemaFinding {
  const table = names.join(".");
  const place = column === undefined ? {} : { property: column.property, column: column.name };
  const what = column === undefined ? `the table \`${table}\`` : `the column \`${table}.${column.name}\``;
  return {
    code: "C14",
    severity: "info",
    set,
    table,
    ...place,
    message: `The description differs from the comment of ${what}.`,
    fix: `Use one text in both places. The comment is ${JSON.stringify(comment)}.`,
  };
}
