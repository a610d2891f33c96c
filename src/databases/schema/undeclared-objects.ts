import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { WantedObjects } from "../introspect/database-catalogue.ts";

/** Finds the tables and views that no set and no navigation declares. */
export function undeclaredObjects({ database, objects }: WantedObjects): readonly SchemaFinding[] {
  const declared = new Set(objects.values());
  return database.objects
    .filter((object) => object.omission === null && !declared.has(object))
    .map(({ kind, schema, name }): SchemaFinding => {
      const table = schema === database.defaultSchema ? name : `${schema}.${name}`;
      return {
        code: "C14",
        severity: "info",
        set: table,
        table,
        message: `The ${kind} \`${table}\` belongs to no entity set.`,
        fix: "Declare an entity set over it, such as with `odatakit pull`, or leave it out on purpose.",
      };
    });
}
