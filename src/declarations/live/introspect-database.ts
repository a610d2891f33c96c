import type { EntitySetDeclaration } from "../../definition/sets/entity-set.ts";
import type { DatabaseSchema, SchemaSelection } from "../../introspect/database-schema.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedService, DescribedWarning } from "../described-service.ts";
import { describeService } from "../mapping/describe-service.ts";
import { searchesKeys } from "../mapping/find-key.ts";
import { declareEntitySets, type DeclareOptions } from "./declare-entity-sets.ts";
import { readDatabaseSchema } from "./read-database-schema.ts";
import { checkGivenKeys, withoutKeys, searchKeys, excludeUnreadableKeys } from "./search-keys.ts";

/** The settings of `introspectDatabase`. All keys are optional. */
export interface IntrospectOptions extends DescribeOptions, SchemaSelection, Omit<DeclareOptions, "db"> {}

/** A database as a service. */
export interface IntrospectedDatabase {
  /** For `odataService`. */
  readonly entitySets: readonly EntitySetDeclaration[];
  /** What the entity sets declare, as plain data. */
  readonly described: DescribedService;
  /** What is not published, or not as a reader of the schema would expect. */
  readonly warnings: readonly DescribedWarning[];
  readonly schema: DatabaseSchema;
}

/**
 * Reads the catalogue of a database, and declares entity sets over its tables and views: all that have a key, for reading.
 * @param db the Kysely instance of SQLite, PostgreSQL or MariaDB. Its sessions should be in UTC
 * @throws ConfigurationError for names and types that cannot be used; the error of the driver if the catalogue cannot be read
 * @see docs/guides/existing-databases.md
 */
export async function introspectDatabase(
  db: AnyKysely,
  options: IntrospectOptions = {},
): Promise<IntrospectedDatabase> {
  const { schemas, operations, settings, ...describeOptions } = options;
  const read = await readDatabaseSchema(db, { schemas });
  const schema = searchesKeys(describeOptions) ? await searchKeys(db, read, describeOptions) : read;
  const described = await excludeUnreadableKeys(db, schema, await describeKeyed(db, schema, describeOptions));
  const entitySets = declareEntitySets(described, { db, operations, settings });
  return { entitySets, described, warnings: described.warnings, schema };
}

/** Describes the service without the given keys that rows share: one wrong key must not stop the other sets. */
async function describeKeyed(
  db: AnyKysely,
  schema: DatabaseSchema,
  options: DescribeOptions,
): Promise<DescribedService> {
  const described = describeService(schema, options);
  const { shared, warnings } = await checkGivenKeys(db, described);
  const kept = shared.length === 0 ? described : describeService(schema, withoutKeys(options, shared));
  return { ...kept, warnings: [...kept.warnings, ...warnings] };
}
