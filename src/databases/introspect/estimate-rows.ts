import { type CatalogueSteps, textOf, textOrNull } from "./catalogue-steps.ts";
import type { DatabaseCatalogue } from "./database-catalogue.ts";
import type { WantedTable } from "./schema.ts";

/** The rows that are counted; above, the estimate of the database counts. */
const COUNTED = 10_000;

/** A number of rows. */
interface RowEstimate {
  readonly count: number;
  readonly kind: "exact" | "estimate" | "least";
}

/**
 * Estimates the rows of a table: counts up to 10,000, and reads larger numbers from the catalogue.
 * @returns null for a view, and for a table whose policies hide rows from the user of the connection
 */
export function* estimateRows(
  { estimate: read }: DatabaseCatalogue,
  table: WantedTable,
): CatalogueSteps<RowEstimate | null> {
  const [found] = yield read(table);
  if (found === undefined) return null;
  const estimate = Number(textOrNull(found[0]) ?? 0);
  if (estimate > COUNTED) return { count: estimate, kind: "estimate" };
  const sql = `select count(*) as c0 from (select 1 as x from ${table.text} limit ${String(COUNTED + 1)}) as counted`;
  const [counted] = yield { sql, parameters: [], width: 1 };
  const count = Number(textOf(counted?.[0]));
  return count > COUNTED ? { count: COUNTED, kind: "least" } : { count, kind: "exact" };
}
