import type { SchemaFinding } from "../errors/schema-finding.ts";
import type { CatalogueSteps } from "./catalogue-steps.ts";
import { checkCollations } from "./check-collations.ts";
import { checkComments } from "./check-comments.ts";
import { checkDuplicates } from "./check-duplicates.ts";
import { checkInserts } from "./check-inserts.ts";
import { checkRelations } from "./check-relations.ts";
import { checkRowSecurity } from "./check-row-security.ts";
import { checkStoredValues } from "./check-stored-values.ts";
import type { ExpectedTable } from "./expected-table.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/**
 * Finds the differences that do not prevent a service from starting, and those that only the whole catalogue or the rows
 * show.
 * @param known the findings of the schema check
 */
export function* examineDatabase(
  expected: readonly ExpectedTable[],
  wanted: WantedObjects,
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  return [
    ...(yield* checkDuplicates(expected, wanted, known)),
    ...checkStoredValues(expected, wanted),
    ...(yield* checkInserts(expected, wanted)),
    ...checkCollations(expected, wanted, known),
    ...checkRelations(expected, wanted),
    ...checkComments(expected, wanted),
    ...(wanted.database.kind === "postgres" ? yield* checkRowSecurity(expected) : []),
  ];
}
