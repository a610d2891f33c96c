import { CompiledQuery } from "kysely";
import { runSteps, type CatalogueQuery, type CatalogueRow, type RunQuery } from "../../introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import { findUniqueKeys, SEARCH_BUDGET } from "../../introspect/unique-keys.ts";
import { runLimited } from "../../kysely/connection/limited-query.ts";
import { isPatientReader } from "../../kysely/connection/patient-reader.ts";
import { synchronousReaderOf, type AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribeOptions } from "../describe-options.ts";
import { keylessObjects } from "../mapping/keyless-objects.ts";

/** The most milliseconds for one object, so that a slow view leaves time for others. */
const MOST_OF_ONE = 400;

/** Searches the data for the keys of views and tables without one, for up to a second. @returns the schema with them */
export async function searchKeys(
  db: AnyKysely,
  schema: DatabaseSchema,
  options: DescribeOptions,
): Promise<DatabaseSchema> {
  const searches = keylessObjects(schema, options);
  if (searches.length === 0) return schema;
  const start = performance.now();
  const named = searches.map(({ object, columns }) => ({ schema: object.schema, name: object.name, columns }));
  const steps = findUniqueKeys(named, schema.kind, () => performance.now());
  const found = await runSteps(steps, limitedRun(db, start + SEARCH_BUDGET));
  const keys = new Map(
    searches.map(({ object }, place): readonly [SchemaObject, SchemaObject["uniqueKey"]] => [object, found[place]]),
  );
  return {
    ...schema,
    objects: schema.objects.map((object) => (keys.has(object) ? { ...object, uniqueKey: keys.get(object) } : object)),
  };
}

/** Runs statements until a time, elsewhere if they would stop the process. */
function limitedRun(db: AnyKysely, deadline: number): RunQuery {
  const plain = db.withoutPlugins();
  const reader = synchronousReaderOf(plain);
  return ({ sql, parameters, width = 0 }: CatalogueQuery) => {
    const timeout = Math.max(1, Math.ceil(Math.min(MOST_OF_ONE, deadline - performance.now())));
    if (reader !== null && isPatientReader(reader)) return reader.read(sql, parameters, { timeout });
    return limitedRows(plain, { sql, parameters, width }, timeout);
  };
}

async function limitedRows(
  db: AnyKysely,
  { sql, parameters, width = 0 }: CatalogueQuery,
  timeout: number,
): Promise<readonly CatalogueRow[]> {
  const query = CompiledQuery.raw(sql, [...parameters]) as CompiledQuery<Readonly<Record<string, unknown>>>;
  const { rows } = await runLimited(db, query, { signal: undefined, timeout, stated: timeout });
  return rows.map((row) => Array.from({ length: width }, (_, place) => row[`c${String(place)}`]));
}
