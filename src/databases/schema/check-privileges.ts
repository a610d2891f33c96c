import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { textOf, type CatalogueSteps } from "../introspect/catalogue-steps.ts";
import { findColumn } from "../introspect/compare-tables.ts";
import type { DatabaseCatalogue, WantedObjects } from "../introspect/database-catalogue.ts";
import type { ExpectedTable } from "../introspect/expected-table.ts";
import { quoteName } from "../introspect/quote-name.ts";
import { catalogueOf } from "../kinds/catalogues.ts";

/** Finds the tables and columns that the user of the connection may not read. */
export function* checkPrivileges(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): CatalogueSteps<readonly SchemaFinding[]> {
  const catalogue = catalogueOf(kind);
  const hidden = expected.flatMap((table) => hiddenColumns(table, objects, catalogue));
  if (hidden.length === 0) return [];
  const [[name] = []] = yield { sql: "select current_user as c0", parameters: [], width: 1 };
  const user = textOf(name);
  const account = catalogue.accountOf(user);
  return hidden.map(({ table, property, column }): SchemaFinding => {
    const place = { set: table.set, table: table.names.join("."), severity: "error" } as const;
    if (column === null) {
      const ofTable = table.declaredBy === "table" ? {} : { property: table.declaredBy };
      const message = `The user \`${user}\` may not read the table \`${place.table}\`.`;
      return { ...place, ...ofTable, code: "C01", message, fix: `grant select on ${table.text} to ${account}` };
    }
    const message = `The user \`${user}\` may not read the column \`${place.table}.${column}\`.`;
    const fix = `grant select (${quoteName(column, catalogue)}) on ${table.text} to ${account}`;
    return { ...place, property, column, code: "C02", message, fix };
  });
}

interface Hidden {
  readonly table: ExpectedTable;
  readonly property: string;
  /** Null for the whole table. */
  readonly column: string | null;
}

function hiddenColumns(
  table: ExpectedTable,
  objects: WantedObjects["objects"],
  catalogue: DatabaseCatalogue,
): readonly Hidden[] {
  const object = objects.get(table.text);
  if (object === undefined) return [];
  const isHidden = object.columns.every(({ isSelectable }) => !isSelectable);
  if (isHidden) return [{ table, property: "", column: null }];
  return table.columns.flatMap(({ name, property }) => {
    const found = findColumn(name, object, catalogue);
    return found === undefined || found.isSelectable ? [] : [{ table, property, column: found.name }];
  });
}
