import { CompiledQuery } from "kysely";
import type { CatalogueQuery, CatalogueRow, RunQuery } from "../../introspect/catalogue-steps.ts";
import { runLimited } from "../../kysely/connection/limited-query.ts";
import { isPatientReader } from "../../kysely/connection/patient-reader.ts";
import { synchronousReaderOf, type AnyKysely } from "../../kysely/connection/synchronous-reader.ts";

/**
 * Returns a function that runs statements over rows for a limited time, elsewhere if they would stop the process.
 * @param milliseconds returns the time of the next statement
 */
export function limitedRun(db: AnyKysely, milliseconds: () => number): RunQuery {
  const plain = db.withoutPlugins();
  const reader = synchronousReaderOf(plain);
  return (query) => {
    const timeout = Math.max(1, Math.ceil(milliseconds()));
    if (reader !== null && isPatientReader(reader)) return reader.read(query.sql, query.parameters, { timeout });
    return limitedRows(plain, query, timeout);
  };
}

async function limitedRows(
  db: AnyKysely,
  { sql, parameters, width = 0 }: CatalogueQuery,
  timeout: number,
): Promise<readonly CatalogueRow[]> {
  const query = CompiledQuery.raw(sql, [...parameters]);
  const { rows } = await runLimited(db, (connection) => connection.executeQuery(query), {
    signal: undefined,
    timeout,
    stated: timeout,
  });
  return (rows as Readonly<Record<string, unknown>>[]).map((row) =>
    Array.from({ length: width }, (_, place) => row[`c${String(place)}`]),
  );
}
