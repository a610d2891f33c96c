import { CompiledQuery } from "kysely";
import { Turn } from "../../../base/maybe.ts";
import { patientReaderOf } from "../../../databases/connection/patient-reader.ts";
import type { AnyKysely } from "../../../databases/connection/synchronous-reader.ts";
import { runUndone } from "../../../databases/connection/undone-statements.ts";
import { runSteps, type CatalogueRow } from "../../../databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaSelection } from "../../../databases/introspect/database-schema.ts";
import { dialectName, findDatabase } from "../../../databases/kinds/find-database.ts";
import type { EntitySetDeclaration } from "../../../definition/sets/entity-set.ts";
import type { DescribeOptions, DescribedService, DescribedWarning, DescribedSet } from "../described-service.ts";
import { describeService } from "../mapping/describe-service.ts";
import { searchesKeys, isNameOf } from "../mapping/find-key.ts";
import { declareEntitySets, type DeclareOptions } from "./declare-entity-sets.ts";
import { checkGivenKeys, searchKeys, excludeUnreadableKeys } from "./search-keys.ts";

/** The settings of `introspectDatabase`. All keys are optional. */
export interface IntrospectOptions extends DescribeOptions, SchemaSelection, Omit<DeclareOptions, "db"> {}

/** A database as a service. */
export interface IntrospectedDatabase {
  /** For `odataService`. */
  readonly entitySets: readonly EntitySetDeclaration[];
  /** The declarations of the entity sets, as plain data. */
  readonly described: DescribedService;
  /** Warnings about parts of the schema that are not published, or published in an unexpected way. */
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

/**
 * Reads the tables, views, keys and types of a database from its catalogue. Of SQLite it also counts the kinds of values in
 * up to 10,000 rows of each table, because SQLite does not enforce types.
 * @param db the Kysely instance of SQLite, PostgreSQL or MariaDB
 * @throws Error for another database; the error of the driver if the catalogue cannot be read
 * @see docs/guides/existing-databases.md
 */
export async function readDatabaseSchema(db: AnyKysely, selection: SchemaSelection = {}): Promise<DatabaseSchema> {
  const profile = findDatabase(db);
  if (profile === null) {
    throw new Error(
      `The dialect ${dialectName(db)} is unknown. Give a Kysely instance of SQLite, PostgreSQL or MariaDB.`,
    );
  }
  const plain = db.withoutPlugins();
  const turn = new Turn();
  const reader = patientReaderOf(plain);
  const steps = profile.session.catalogue.readAll(selection, reader?.alive);
  return runSteps(steps, async (query) => {
    const { sql, parameters, width, milliseconds: timeout } = query;
    if (query.undone !== undefined) return runUndone(plain, query);
    // A statement that takes long must not stop the process.
    if (timeout !== undefined && reader !== null) return reader.read(sql, parameters, { timeout });
    // SQLite returns rows at once, so the process would do nothing else until the last of many tables.
    if (turn.isOver) await turn.next();
    const { rows } = await plain.executeQuery<Readonly<Record<string, unknown>>>(
      CompiledQuery.raw(sql, [...parameters]),
    );
    return rows.map((row) => cellsOf(row, width));
  });
}

function cellsOf(row: Readonly<Record<string, unknown>>, width: number | undefined): CatalogueRow {
  if (width === undefined) return Object.values(row);
  return Array.from({ length: width }, (_, place) => row[`c${String(place)}`]);
}

/** Returns the options without the keys that rows share. */
function withoutKeys(options: DescribeOptions, shared: readonly DescribedSet[]): DescribeOptions {
  const { keys } = options;
  if (typeof keys !== "object") return options;
  const entries = Object.entries(keys).filter(([name]) => !shared.some(({ table }) => isNameOf(name, table)));
  return { ...options, keys: Object.fromEntries(entries) };
}
