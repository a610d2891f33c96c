import { runSteps } from "../../introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import { findUniqueKeys, SEARCH_BUDGET } from "../../introspect/unique-keys.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribeOptions } from "../describe-options.ts";
import { keylessObjects } from "../mapping/keyless-objects.ts";
import { objectKey } from "../names/naming.ts";
import { limitedRun } from "./limited-run.ts";

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
  const found = await runSteps(
    steps,
    limitedRun(db, () => Math.min(MOST_OF_ONE, start + SEARCH_BUDGET - performance.now())),
  );
  const keys = new Map(
    searches.map(({ object }, place): readonly [string, SchemaObject["uniqueKey"]] => [
      objectKey(object),
      found[place],
    ]),
  );
  return {
    ...schema,
    objects: schema.objects.map((object) => ({ ...object, uniqueKey: keys.get(objectKey(object)) })),
  };
}
