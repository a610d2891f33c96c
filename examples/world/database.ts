import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { loadWorld } from "./data.ts";
import type { City, Country } from "./model.ts";

/** Told how many of how many rows are loaded. */
export type Progress = (rows: number, total: number) => void;

/** A value as a column holds it. */
type Cell = string | number | boolean | null;

/** The tables: columns are named like the properties of the model, complex members `property_member`. */
export type WorldDatabase = Readonly<Record<"countries" | "cities" | "borders", Readonly<Record<string, Cell>>>>;

/** The version of the tables below, which a file keeps: one of another version is made anew. */
const VERSION = 2;

const TABLES: readonly string[] = [
  `create table countries (
    code text primary key, code3 text not null, name text not null, officialName text not null, region text not null,
    subregion text, capital text, area real, independent integer, unMember integer not null,
    landlocked integer not null, flag text, location_latitude real not null, location_longitude real not null,
    languages text not null, domains text not null, currencies text not null
  ) without rowid`,
  `create table cities (
    id integer primary key, name text not null, alternativeName text, countryCode text not null, adminCode text,
    featureCode text, population integer not null, location_latitude real not null, location_longitude real not null
  )`,
  "create table borders (country text not null, neighbour text not null, primary key (country, neighbour)) without rowid",
];

const INDEXES: readonly string[] = [
  "create index countries_region on countries (region, code)",
  "create index cities_name on cities (name, id)",
  "create index cities_population on cities (population, id)",
  "create index cities_country on cities (countryCode, population)",
];

/** The tables of every version of this example. */
const OWN: ReadonlySet<string> = new Set(["countries", "cities", "borders"]);

/** Rows of one insert. */
const BATCH = 1000;

/**
 * Opens the database of the example; the first call makes it.
 * @param file where it is, or `:memory:`
 */
export async function openWorld(file: string, progress: Progress): Promise<Kysely<WorldDatabase>> {
  if (file === ":memory:") {
    const db = connect(file);
    await load(db, progress);
    return db;
  }
  if (!existsSync(file) || !(await isCurrent(file))) await makeFile(file, progress);
  return connect(file);
}

/**
 * Whether a file has the tables of this version.
 * @throws Error when it must not be replaced either: it is none of this example, or in use
 */
async function isCurrent(file: string): Promise<boolean> {
  const db = connect(file);
  try {
    const { rows: versions } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
    if (versions[0]?.user_version === VERSION) return true;
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
  // Who closes a file last takes its write-ahead log away.
  if (existsSync(`${file}-wal`)) {
    throw new Error(`${file} is of an earlier version of the example and in use: end the program that serves it.`);
  }
  return false;
}

/** Makes the file under another name until it is whole, so that one that was interrupted is never taken for it. */
async function makeFile(file: string, progress: Progress): Promise<void> {
  const unfinished = `${file}.loading`;
  mkdirSync(dirname(file), { recursive: true });
  for (const suffix of ["", "-wal", "-shm"]) rmSync(unfinished + suffix, { force: true });
  const db = connect(unfinished);
  await load(db, progress);
  await db.destroy();
  renameSync(unfinished, file);
}

function connect(file: string): Kysely<WorldDatabase> {
  return new Kysely<WorldDatabase>({ dialect: sqliteDialect(file) });
}

async function load(db: Kysely<WorldDatabase>, progress: Progress): Promise<void> {
  const { countries, cities, borders } = loadWorld();
  const total = countries.length + cities.length;
  await db.transaction().execute(async (transaction) => {
    for (const table of TABLES) await sql.raw(table).execute(transaction);
    await transaction.insertInto("countries").values(countries.map(toCountryRow)).execute();
    await transaction
      .insertInto("borders")
      .values(borders.map(({ country, neighbour }) => ({ country, neighbour })))
      .execute();
    for (let start = 0; start < cities.length; start += BATCH) {
      const batch = cities.slice(start, start + BATCH);
      await transaction.insertInto("cities").values(batch.map(toCityRow)).execute();
      progress(countries.length + start + batch.length, total);
    }
    for (const index of INDEXES) await sql.raw(index).execute(transaction);
  });
  await sql`analyze`.execute(db);
  await sql`pragma user_version = ${sql.lit(VERSION)}`.execute(db);
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
