import type { SchemaFinding } from "../errors/schema-finding.ts";
import { findColumn } from "./compare-tables.ts";
import type { ObjectColumn } from "./database-schema.ts";
import type { ExpectedColumn, ExpectedTable } from "./expected-table.ts";
import { quoteName } from "./quote-name.ts";
import type { IndexedColumn } from "./schema.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/**
 * Finds strings with an index that filters and sorts cannot use, because it compares them otherwise than the service.
 * @param known the findings of the schema check: C11 names such columns of large tables
 */
export function checkCollations(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
  known: readonly SchemaFinding[],
): readonly SchemaFinding[] {
  if (kind === "sqlite") return [];
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    if (object?.kind !== "table") return [];
    return table.columns.flatMap((declared): readonly SchemaFinding[] => {
      const found = findColumn(declared.name, object, { ignoresCase: kind === "mysql" });
      if (found === undefined || !isCompared(declared, found)) return [];
      const isKnown = known.some(
        ({ code, set, property }) => code === "C11" && set === table.set && property === declared.property,
      );
      const leading = object.indexes.flatMap(({ columns: [first] }) => (first?.name === found.name ? [first] : []));
      const name = table.names.join(".");
      const isUsable = (first: IndexedColumn): boolean =>
        kind === "mysql" ? found.characterSet === "utf8mb4" : first.collation === "C" || first.collation === "POSIX";
      if (isKnown || leading.length === 0 || leading.some(isUsable)) return [];
      const column = quoteName(found.name, kind);
      const stated = kind === "mysql" ? `character set ${found.characterSet ?? ""}, ` : "";
      return [
        {
          set: table.set,
          property: declared.property,
          table: name,
          column: found.name,
          code: "C09",
          severity: "warning",
          message: `No index of the column \`${name}.${found.name}\` (${stated}collation \`${found.collation ?? ""}\`) serves filters and sorts, which compare strings by code point.`,
          fix:
            kind === "mysql"
              ? `Change the column, with its default and comment: alter table ${table.text} modify ${column} ${found.definition} character set utf8mb4 collate utf8mb4_nopad_bin${found.nullable ? "" : " not null"}`
              : `create index on ${table.text} (${column} collate "C"${found.nullable ? " nulls first" : ""})`,
        },
      ];
    });
  });
}

/** Whether clients may filter or sort by a column with the text of the database. */
function isCompared({ access, limits }: ExpectedColumn, { collation }: ObjectColumn): boolean {
  return access.size > 0 && limits.unit === "characters" && collation !== null;
}
