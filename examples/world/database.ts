import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { loadWorld } from "./data.ts";
import type { City, Country } from "./model.ts";
import { TRIP_INDEXES, TRIP_TABLES, WORLD_INDEXES, WORLD_TABLES } from "./tables.ts";

/** Receives the number of loaded rows, and of all rows. */
export type Progress = (rows: number, total: number) => void;

/** A stored value of a column. */
type Cell = string | number | boolean | null;

/** The name of a table. */
type Table = keyof typeof WORLD_TABLES | keyof typeof TRIP_TABLES;

export type WorldDatabase = Readonly<Record<Table, Readonly<Record<string, Cell>>>>;

/** The version of the tables, which the file contains. In a file of another version the tables of the world are rebuilt. */
const VERSION = 3;

/** The tables of every version of this example. */
const OWN: ReadonlySet<string> = new Set(Object.keys({ ...WORLD_TABLES, ...TRIP_TABLES }));

/** Rows of one insert. */
const BATCH = 1000;

/**
 * Opens the database of the example; the first call creates it.
 * @param file its path, or `:memory:`
 */
export async function openWorld(file: string, progress: Progress): Promise<Kysely<WorldDatabase>> {
  if (file !== ":memory:") {
    mkdirSync(dirname(file), { recursive: true });
    await checkFile(file);
  }
  const db = connect(file);
  try {
    if ((await versionOf(db)) !== VERSION) await load(db, progress);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

/**
 * Checks that the tables of a file may be rebuilt, if its version differs.
 * @throws Error when they must not: the file belongs to something else, or is in use
 */
async function checkFile(file: string): Promise<void> {
  const db = connect(file);
  try {
    if ((await versionOf(db)) === VERSION) return;
    const { rows: tables } = await sql<{ name: string }>`
      select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`.execute(db);
    const foreign = tables.find(({ name }) => !OWN.has(name));
    if (foreign !== undefined) {
      const advice = "Name another file in WORLD_DB.";
      throw new Error(`${file} has a table ${foreign.name}, so it is no database of this example. ${advice}`);
    }
  } finally {
    await db.destroy();
  }
  // The last connection to close a file deletes its write-ahead log.
  if (existsSync(`${file}-wal`)) {
    throw new Error(
      `${file} is in use by an earlier version of the example, or by one that is loading it: end that program, or wait.`,
    );
  }
}

async function versionOf(db: Kysely<WorldDatabase>): Promise<number | undefined> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
  return rows[0]?.user_version;
}

function connect(file: string): Kysely<WorldDatabase> {
  return new Kysely<WorldDatabase>({ dialect: sqliteDialect(file) });
}

/** Creates all tables in one transaction: an interruption leaves the file unchanged. Existing trips stay. */
async function load(db: Kysely<WorldDatabase>, progress: Progress): Promise<void> {
  // Stops refer to cities, which are missing for a moment. SQLite ignores this setting within a transaction.
  await sql`pragma foreign_keys = off`.execute(db);
  await db.transaction().execute(async (transaction) => {
    const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(transaction);
    for (const table of Object.keys(WORLD_TABLES)) await run(`drop table if exists ${table}`);
    for (const table of Object.values({ ...WORLD_TABLES, ...TRIP_TABLES })) await run(table);
    await insertWorld(transaction, progress);
    for (const index of [...WORLD_INDEXES, ...TRIP_INDEXES]) await run(index);
    // The new data may lack a city or a country.
    await run("update stops set cityId = null where cityId not in (select id from cities)");
    await run("delete from tripCountries where country not in (select code from countries)");
    await run("analyze");
    await run(`pragma user_version = ${VERSION}`);
  });
  await sql`pragma foreign_keys = on`.execute(db);
}

async function insertWorld(db: Kysely<WorldDatabase>, progress: Progress): Promise<void> {
  const { countries, cities, borders } = loadWorld();
  const total = countries.length + cities.length;
  await db.insertInto("countries").values(countries.map(toCountryRow)).execute();
  await db
    .insertInto("borders")
    .values(borders.map(({ country, neighbour }) => ({ country, neighbour })))
    .execute();
  for (let start = 0; start < cities.length; start += BATCH) {
    const batch = cities.slice(start, start + BATCH);
    await db.insertInto("cities").values(batch.map(toCityRow)).execute();
    progress(countries.length + start + batch.length, total);
  }
}

function toCountryRow({ location, languages, domains, currencies, ...rest }: Country): Record<string, Cell> {
  return {
    ...rest,
    location_latitude: location.latitude,
    location_longitude: location.longitude,
    languages: JSON.stringify(languages),
    domains: JSON.stringify(domains),
    currencies: JSON.stringify(currencies),
  };
}

function toCityRow({ location, ...rest }: City): Record<string, Cell> {
  return { ...rest, location_latitude: location.latitude, location_longitude: location.longitude };
}
