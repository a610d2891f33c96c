import { chain } from "../base/maybe.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { StoredDatabase, StoredHandler, StoredSet } from "../definition/sets/stored-database.ts";
import type { SchemaFinding } from "../errors/schema-finding.ts";

/** Compares the sets of one database with its catalogue. */
export interface DatabaseCheck {
  readonly sets: readonly string[];
  readonly run: () => readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]>;
}

/** The checks of a service: one for each database behind its sets. */
export function databaseChecks(service: ServiceDefinition): readonly DatabaseCheck[] {
  const stored = [...service.entitySets.values()].flatMap((set): readonly StoredSet[] => {
    const handlers: readonly unknown[] = Object.values(set.handlers);
    const rows = new Set(handlers.flatMap((handler) => (handler as StoredHandler | undefined)?.stored ?? []));
    return [...rows].map((each) => ({ set, rows: each }));
  });
  const byDatabase = new Map<StoredDatabase, readonly StoredSet[]>();
  for (const each of stored) {
    const { database } = each.rows;
    byDatabase.set(database, [...(byDatabase.get(database) ?? []), each]);
  }
  return Array.from(byDatabase, ([database, sets]) => ({
    sets: [...new Set(sets.map(({ set }) => set.entitySet.name))],
    run: () => database.findDifferences(sets, service),
  }));
}

/** Runs checks one after another: at once where every database answers at once. */
export function runChecks(
  checks: readonly DatabaseCheck[],
  run: (check: DatabaseCheck) => readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]>,
): readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]> {
  const [first, ...others] = checks;
  if (first === undefined) return [];
  return chain(run(first), (findings) => chain(runChecks(others, run), (rest) => [...findings, ...rest]));
}
