import { CompiledQuery } from "kysely";
import { runLimited } from "../../../databases/connection/limited-query.ts";
import { patientReaderOf } from "../../../databases/connection/patient-reader.ts";
import type { AnyKysely } from "../../../databases/connection/synchronous-reader.ts";
import {
  runSteps,
  type RunQuery,
  type CatalogueQuery,
  type CatalogueRow,
} from "../../../databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaObject, DatabaseKind } from "../../../databases/introspect/database-schema.ts";
import { quoteName } from "../../../databases/introspect/quote-name.ts";
import { findUniqueKeys } from "../../../databases/introspect/unique-keys.ts";
import { catalogueOf } from "../../../databases/kinds/catalogues.ts";
import type { KeyCondition } from "../columns/column-rules.ts";
import { rulesOf } from "../columns/rules-of.ts";
import type { DescribeOptions, DescribedService, DescribedSet, DescribedWarning } from "../described-service.ts";
import { placeOf } from "../mapping/find-key.ts";
import { keylessObjects } from "../mapping/key-columns.ts";
import { objectKey } from "../names/naming.ts";
import { quotedTable } from "./declare-entity-sets.ts";

/** Milliseconds for one statement. It ends those over very slow views only, as the sample of a view does. */
const SEARCH_TIMEOUT = 10_000;

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
    findUniqueKeys(named, catalogueOf(schema.kind), aliveOf(db)[0]),
    limitedRun(db, () => SEARCH_TIMEOUT),
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

/** Milliseconds for one view. */
const VIEW_TIMEOUT = 1000;

/** The given keys that the data allows. */
interface CheckedKeys {
  /** The sets whose given key several rows share. */
  readonly shared: readonly DescribedSet[];
  readonly warnings: readonly DescribedWarning[];
}

/**
 * Looks for rows that share a key which the user has given: two entities with one id would be wrong without a sign.
 * @returns a warning for each given key that rows share, or that takes too long
 */
export async function checkGivenKeys(db: AnyKysely, service: DescribedService): Promise<CheckedKeys> {
  const run = limitedRun(db, () => VIEW_TIMEOUT);
  const shared: DescribedSet[] = [];
  const warnings: DescribedWarning[] = [];
  for (const set of service.sets.filter(({ key, isKeyGuaranteed }) => key === "given" && !isKeyGuaranteed)) {
    const columns = set.properties.filter(({ isKey }) => isKey).map(({ column }) => column);
    const place = placeOf(set.table);
    try {
      const found = await run({ sql: duplicatesQuery(set, columns, service, aliveOf(db)), parameters: [], width: 1 });
      if (found.length === 0) continue;
      shared.push(set);
      warnings.push({
        code: "shared-key",
        place,
        message: `has rows with the same values of the given key ${columns.join(", ")}, so the given key is ignored`,
        flag: `--key "${place}=${[...columns, "<column>"].join(",")}"`,
      });
    } catch {
      const message = `takes too long to check whether ${columns.join(", ")} is unique`;
      warnings.push({ code: "unchecked-key", place, message, flag: null });
    }
  }
  return { shared, warnings };
}

/** Excludes rows with null in the key: they are not entities. */
function duplicatesQuery(
  set: DescribedSet,
  columns: readonly string[],
  { kind }: DescribedService,
  alive: readonly string[],
): string {
  const quoted = columns.map((column) => quoteName(column, catalogueOf(kind)));
  const where = [...alive, ...quoted.map((column) => `${column} is not null`)].join(" and ");
  return `select 1 as c0 from ${quotedTable(set, kind)} where ${where} group by ${quoted.join(", ")} having count(*) > 1 limit 1`;
}

/** Milliseconds for one table. It ends statements without an index over very large tables only. */
const TABLE_TIMEOUT = 10_000;

/**
 * Counts rows whose key is null, or no value of a property: infinity, NaN, a zero date, or a text in a column of integers
 * beyond the sampled rows of SQLite. A set leaves such rows out, because an entity without a key cannot be addressed.
 * @returns the service with the conditions of these sets, and a warning for each
 */
export async function excludeUnreadableKeys(
  db: AnyKysely,
  schema: DatabaseSchema,
  service: DescribedService,
): Promise<DescribedService> {
  const run = limitedRun(db, () => TABLE_TIMEOUT);
  const sets: DescribedSet[] = [];
  const warnings: DescribedWarning[] = [];
  for (const set of service.sets) {
    const conditions = keyConditions(set, schema);
    const nulls = set.properties
      .filter(({ field }) => set.excludesNulls.includes(field))
      .map(({ column }) => `${quoteName(column, catalogueOf(schema.kind))} is null`);
    const found =
      conditions.length + nulls.length === 0
        ? NONE
        : await countRows(run, set, schema.kind, { conditions, nulls, alive: aliveOf(db) });
    const leftOutRows = found.all;
    const excludes = found.unreadable === 0 ? [] : conditions.map(({ readable }) => readable);
    sets.push({ ...set, excludes, leftOutRows });
    if (leftOutRows !== 0) warnings.push(leftOut(set, found));
  }
  return { ...service, sets, warnings: [...service.warnings, ...warnings] };
}

/** How many rows have no key; null if counting them takes too long. */
interface LeftOut {
  readonly all: number | null;
  /** The number of rows whose key is not a value of the property. */
  readonly unreadable: number | null;
}

const NONE: LeftOut = { all: 0, unreadable: 0 };

function leftOut({ table, properties }: DescribedSet, { all, unreadable }: LeftOut): DescribedWarning {
  const place = placeOf(table);
  const keys = properties.filter(({ isKey }) => isKey).map(({ column }) => column);
  const count = all === null ? "all rows, too many to count," : `${String(all)} ${all === 1 ? "row" : "rows"}`;
  const reasons = [
    ...(all === unreadable && all !== null ? [] : ["null"]),
    ...(unreadable === 0 ? [] : ["no value of the key"]),
  ];
  const message = `leaves out ${count} whose ${keys.join(", ")} is ${reasons.join(" or ")}`;
  return { code: "unreadable-key", place, message, flag: `--key "${place}=<column>"` };
}

function keyConditions(set: DescribedSet, schema: DatabaseSchema): readonly KeyCondition[] {
  const object = schema.objects.find(
    ({ schema: name, ...each }) => name === set.table.schema && each.name === set.table.name,
  );
  const { keyCondition } = rulesOf(schema.kind);
  return set.properties
    .filter(({ isKey, sql }) => isKey && sql === null)
    .flatMap((property) => {
      const column = object?.columns.find(({ name }) => name === property.column);
      return column === undefined ? [] : (keyCondition(property, column, set) ?? []);
    });
}

/** The conditions of the rows to count. */
interface KeyTests {
  readonly conditions: readonly KeyCondition[];
  readonly nulls: readonly string[];
  /** The condition that ends the statement after its time, if there is one. */
  readonly alive: readonly string[];
}

/** A table that takes too long is treated as if it had such rows. */
async function countRows(
  run: RunQuery,
  set: DescribedSet,
  kind: DatabaseKind,
  { conditions, nulls, alive }: KeyTests,
): Promise<LeftOut> {
  const unreadable = conditions.map((condition) => condition.unreadable);
  const counted = unreadable.length === 0 ? "0" : `case when ${unreadable.join(" or ")} then 1 else 0 end`;
  const where = [...alive, `(${[...unreadable, ...nulls].join(" or ")})`].join(" and ");
  const sql = `select count(*) as c0, coalesce(sum(${counted}), 0) as c1 from ${quotedTable(set, kind)} where ${where}`;
  try {
    const [[all, some] = []] = await run({ sql, parameters: [], width: 2 });
    return { all: Number(all), unreadable: Number(some) };
  } catch {
    return { all: null, unreadable: conditions.length === 0 ? 0 : null };
  }
}

/** Returns the condition that ends a statement over rows after its time; nothing for a database that ends it itself. */
function aliveOf(db: AnyKysely): readonly string[] {
  const reader = patientReaderOf(db);
  return reader === null ? [] : [reader.alive];
}

/**
 * Returns a function that runs statements over rows for a limited time, elsewhere if they would stop the process.
 * @param milliseconds returns the time of the next statement
 */
function limitedRun(db: AnyKysely, milliseconds: () => number): RunQuery {
  const plain = db.withoutPlugins();
  const reader = patientReaderOf(plain);
  return (query) => {
    const timeout = Math.max(1, Math.ceil(milliseconds()));
    if (reader !== null) return reader.read(query.sql, query.parameters, { timeout });
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
