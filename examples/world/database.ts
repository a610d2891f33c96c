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
export type WorldDatabase = Readonly<Record<"countries" | "cities", Readonly<Record<string, Cell>>>>;

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
];

const INDEXES: readonly string[] = [
  "create index countries_region on countries (region, code)",
  "create index cities_name on cities (name, id)",
  "create index cities_population on cities (population, id)",
  "create index cities_country on cities (countryCode, population)",
];

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
  if (!existsSync(file)) await makeFile(file, progress);
  return connect(file);
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
  const { countries, cities } = loadWorld();
  const total = countries.length + cities.length;
  await db.transaction().execute(async (transaction) => {
    for (const table of TABLES) await sql.raw(table).execute(transaction);
    await transaction.insertInto("countries").values(countries.map(toCountryRow)).execute();
    for (let start = 0; start < cities.length; start += BATCH) {
      const batch = cities.slice(start, start + BATCH);
      await transaction.insertInto("cities").values(batch.map(toCityRow)).execute();
      progress(countries.length + start + batch.length, total);
    }
    for (const index of INDEXES) await sql.raw(index).execute(transaction);
  });
  await sql`analyze`.execute(db);
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
