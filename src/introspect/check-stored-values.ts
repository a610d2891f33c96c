import type { SchemaFinding } from "../errors/schema-finding.ts";
import { checkLimits, type ColumnPlace } from "./check-limits.ts";
import { findColumn } from "./compare-tables.ts";
import type { ObjectColumn } from "./database-schema.ts";
import type { ExpectedColumn, ExpectedTable } from "./expected-table.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/** Compares the values that clients may write, and the facets of the model, with what the columns store. */
export function checkStoredValues(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): readonly SchemaFinding[] {
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    // Only tables restrict values.
    if (object?.kind !== "table") return [];
    return table.columns.flatMap((column) => {
      const found = findColumn(column.name, object, { ignoresCase: kind !== "postgres" });
      if (found === undefined) return [];
      const isKey = table.key.includes(column.name);
      const place = { set: table.set, table: table.names.join("."), column: found.name, property: column.property };
      return [
        ...checkWritten(column, found, place, table.forgives === true),
        ...checkLimits(column, found, { ...place, isKey }),
      ];
    });
  });
}

function* checkWritten(
  { source, nullable }: ExpectedColumn,
  found: ObjectColumn,
  place: ColumnPlace,
  forgives: boolean,
): Iterable<SchemaFinding> {
  if (source !== "create" && source !== "write") return;
  const column = `\`${place.table}.${place.column}\``;
  if (found.isGenerated) {
    const message = `The database computes the column ${column}, but clients may write the property.`;
    yield { ...place, code: "C08", severity: "error", message, fix: "Declare the property with `.computed()`." };
  } else if (nullable && !forgives && !found.nullable && !found.isIdentity) {
    const message = `The column ${column} rejects null, but clients may write null to the property.`;
    const fix = "Declare the property without `.nullable()`, or remove `not null` from the column.";
    yield { ...place, code: "C04", severity: "warning", message, fix };
  }
}
