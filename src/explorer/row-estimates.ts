import { recover } from "../base/maybe.ts";
import type { EntitySetDefinition } from "../definition/model/service-definition.ts";
import type { RowEstimate, StoredHandler } from "../definition/model/stored-database.ts";

/** Milliseconds for which estimates are kept: everybody may ask for them. */
const KEPT = 60_000;

/** Estimates the rows of the sets that show all of a table, for all users together. */
export class RowEstimates {
  readonly #sets: readonly EntitySetDefinition[];
  #known: { readonly until: number; readonly rows: ReturnType<typeof estimateAll> } | null = null;

  constructor(sets: Iterable<EntitySetDefinition>) {
    // A rule hides rows, and their number.
    this.#sets = [...sets].filter(({ rows }) => rows === null);
  }

  /** Returns the estimates of the last minute, by set. */
  read(): ReturnType<typeof estimateAll> {
    if (this.#known === null || performance.now() > this.#known.until) {
      this.#known = { until: performance.now() + KEPT, rows: estimateAll(this.#sets) };
    }
    return this.#known.rows;
  }
}

/** Reads one table after another: they must not occupy all connections. */
async function estimateAll(
  sets: readonly EntitySetDefinition[],
): Promise<ReadonlyMap<EntitySetDefinition, RowEstimate>> {
  const estimates = new Map<EntitySetDefinition, RowEstimate>();
  for (const set of sets) {
    const rows = wholeTable(set);
    // The page works without numbers, such as while a database cannot be reached.
    const estimate =
      rows === undefined
        ? null
        : await recover(
            () => rows.database.estimateRows(rows),
            () => null,
          );
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
