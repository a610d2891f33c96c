import { runSteps } from "../../introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import { findUniqueKeys } from "../../introspect/unique-keys.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribeOptions } from "../describe-options.ts";
import { keylessObjects } from "../mapping/keyless-objects.ts";
import { objectKey } from "../names/naming.ts";
import { limitedRun } from "./limited-run.ts";

/** Milliseconds for one statement. It ends those over very slow views only, as the sample of a view does. */
const TIMEOUT = 10_000;

/** Searches the data for the keys of views and tables without one. @returns the schema with them */
export async function searchKeys(
  db: AnyKysely,
  schema: DatabaseSchema,
  options: DescribeOptions,
): Promise<DatabaseSchema> {
  const searches = keylessObjects(schema, options);
  if (searches.length === 0) return schema;
  const named = searches.map(({ object, columns }) => ({ schema: object.schema, name: object.name, columns }));
  const found = await runSteps(
    findUniqueKeys(named, schema.kind),
    limitedRun(db, () => TIMEOUT),
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
