import type { SchemaFinding } from "../errors/schema-finding.ts";
import type { SchemaObject } from "./database-schema.ts";
import type { ExpectedReference, ExpectedTable } from "./expected-table.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/** Finds navigations whose tables have no foreign key. The catalogue has none of views. */
export function checkRelations(
  expected: readonly ExpectedTable[],
  { objects }: WantedObjects,
): readonly SchemaFinding[] {
  const seen = new Set<string>();
  return expected.flatMap((table) =>
    (table.references ?? []).flatMap((reference): readonly SchemaFinding[] => {
      const own = objects.get(table.text);
      const other = objects.get(reference.target.text);
      if (own?.kind !== "table" || other?.kind !== "table") return [];
      const { columns, targetColumns } = reference;
      if (refers(own, columns, other, targetColumns) || refers(other, targetColumns, own, columns)) return [];
      // The opposite navigation would say the same.
      const ends = [JSON.stringify([table.text, columns]), JSON.stringify([reference.target.text, targetColumns])];
      const pair = ends.toSorted().join();
      if (seen.has(pair)) return [];
      seen.add(pair);
      return [missingConstraint(table, reference, own, other)];
    }),
  );
}

function refers(
  { foreignKeys }: SchemaObject,
  columns: readonly string[],
  target: SchemaObject,
  targetColumns: readonly string[],
): boolean {
  const pairs = pairsOf(columns, targetColumns);
  return foreignKeys.some(
    (key) =>
      key.target.schema === target.schema &&
      key.target.name === target.name &&
      pairsOf(key.columns, key.targetColumns) === pairs,
  );
}

/** Pairs are the same in any order, and in other letters where the database ignores case. */
function pairsOf(columns: readonly string[], others: readonly string[]): string {
  const pairs = columns.map((name, at) => JSON.stringify([name.toLowerCase(), others[at]?.toLowerCase()]));
  return pairs.toSorted().join();
}

function missingConstraint(
  table: ExpectedTable,
  { navigation, columns, target, targetColumns }: ExpectedReference,
  own: SchemaObject,
  other: SchemaObject,
): SchemaFinding {
  const isChild = other.primaryKey.length > 0 && other.primaryKey.every((name) => targetColumns.includes(name));
  const [child, childColumns, parent, parentColumns] = isChild
    ? [own, columns, other, targetColumns]
    : [other, targetColumns, own, columns];
  const constraint = `foreign key (${childColumns.join(", ")}) references ${parent.name} (${parentColumns.join(", ")})`;
  return {
    code: "C14",
    severity: "info",
    set: table.set,
    property: navigation,
    table: table.names.join("."),
    column: columns.join(", "),
    message: `The navigation joins \`${table.names.join(".")}\` and \`${target.names.join(".")}\`, but no foreign key makes the database keep its values right.`,
    fix: `Add \`${constraint}\` to the table ${child.name}.`,
  };
}
