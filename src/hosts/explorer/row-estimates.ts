import { recover } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { RowEstimate, StoredHandler } from "../../definition/model/stored-database.ts";

/** Milliseconds for which estimates are kept: everybody may ask for them. */
const KEPT = 60_000;

type Estimates = ReadonlyMap<EntitySetDefinition, RowEstimate>;

/**
 * Makes the function that estimates the rows of the sets that show all of a table, for all users together.
 * @returns the estimates of the last minute
 */
export function rowEstimates(all: Iterable<EntitySetDefinition>): () => Promise<Estimates> {
  // A rule hides rows, and their number.
  const sets = [...all].filter(({ rows }) => rows === null);
  let known: { readonly until: number; readonly estimates: Promise<Estimates> } | undefined;
  return () => {
    if (known === undefined || performance.now() > known.until) {
      known = { until: performance.now() + KEPT, estimates: estimateAll(sets) };
    }
    return known.estimates;
  };
}

/** Reads one table after another: they must not occupy all connections. */
async function estimateAll(sets: readonly EntitySetDefinition[]): Promise<Estimates> {
  const estimates = new Map<EntitySetDefinition, RowEstimate>();
  for (const set of sets) {
    const rows = wholeTable(set);
    if (rows === undefined) continue;
    const none = (): null => null;
    // The page works without numbers, such as while a database cannot be reached.
    const estimate = await recover(() => rows.database.estimateRows(rows), none);
    if (estimate !== null) estimates.set(set, estimate);
  }
  return estimates;
}

/** Returns the rows of a set that shows all of a table: the application narrowed neither its list nor its keys. */
function wholeTable({ handlers }: EntitySetDefinition): StoredHandler["stored"] {
  const storedOf = (handler: unknown): StoredHandler["stored"] => (handler as StoredHandler | undefined)?.stored;
  return handlers.applyQuery === undefined && storedOf(handlers.getByKey) !== undefined
    ? storedOf(handlers.queryable)
    : undefined;
}
