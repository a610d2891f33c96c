import { readFile } from "node:fs/promises";
import { Kysely, sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import {
  ENGINES,
  type AnyDatabase,
  type DatabaseEngine,
  type DatabaseName,
} from "../../../engine/executors/engines.ts";
import { openSample, SAMPLES, statementsOf, type SampleName } from "../../../fixtures/databases/load.ts";

type Row = Readonly<Record<string, unknown>>;
type Rows = Readonly<Record<string, readonly Row[]>>;

/** A test server contains schemas of other tests. */
async function startService(db: AnyDatabase, name: DatabaseName) {
  let schemas: readonly string[] | undefined;
  if (name === "postgres") {
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
    schemas = rows.map((row) => row.name);
  }
  const { entitySets, described } = await introspectDatabase(db, { schemas });
  return { described, service: odataService({ prefix: "/odata", profile: "standard", entitySets }) };
}

async function metadataOf(db: AnyDatabase, name: DatabaseName): Promise<string> {
  const { service } = await startService(db, name);
  return (await service.fetch(new Request("http://localhost/odata/$metadata"))).text();
}

/** All rows by the names of the sets. */
async function rowsOf(engine: DatabaseEngine, sample: SampleName): Promise<Rows> {
  const { db, close } = await openSample(engine, sample);
  try {
    const { service, described } = await startService(db, engine.name);
    const found: Record<string, readonly Row[]> = {};
    for (const { setName, kind, properties } of described.sets) {
      if (kind !== "table") continue;
      const keys = properties.filter(({ isKey }) => isKey).map(({ name }) => name);
      const response = await service.fetch(
        new Request(`http://localhost/odata/${setName}?$orderby=${keys.join(",")}`, {
          headers: { Accept: "application/json;odata.metadata=none;IEEE754Compatible=true" },
        }),
      );
      found[setName] = ((await response.json()) as { value: readonly Row[] }).value;
    }
    return found;
  } finally {
    await close();
  }
}

/** Sets and properties that a database renames or lacks. */
const OWN: readonly string[] = ["FilmTexts", "Payments.LastUpdate"];
/** The time zone of the sessions that load the samples, for the timestamps of MariaDB. */
const KATHMANDU = 5.75 * 3_600_000;

/**
 * Returns a value without the differences of types that docs/guides/existing-databases.md describes: integers of 32 and 64
 * bits, fractions of seconds, dates with and without time, the scale of decimals, singles, flags that are numbers or letters
 * in SQLite, and arrays that are texts elsewhere.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : plain(value.join(","));
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number") return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  if (typeof value !== "string") return value;
  if (value === "Y" || value === "N") return value === "Y" ? "1" : "0";
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return plain(Number(value));
  return /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(value) ? Date.parse(value) : value;
}

/** Returns the cells that differ, by the names of their properties. */
function differences(one: Rows, other: Rows): ReadonlySet<string> {
  const found = new Set<string>();
  for (const set of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [left, right] = [one[set], other[set]];
    if (left?.length !== right?.length) found.add(set);
    for (const [at, row] of (left ?? []).entries()) {
      const beside = right?.[at] ?? {};
      for (const name of new Set([...Object.keys(row), ...Object.keys(beside)])) {
        if (plain(row[name]) !== plain(beside[name])) found.add(`${set}.${name}`);
      }
    }
  }
  return found;
}

/** The script of MariaDB writes timestamps in the time zone of its session. */
function withoutZone(rows: Rows): Rows {
  const shifted = (row: Row): Row => {
    const { LastUpdate: at } = row;
    return typeof at === "string" ? { ...row, LastUpdate: new Date(Date.parse(at) + KATHMANDU).toISOString() } : row;
  };
  return Object.fromEntries(Object.entries(rows).map(([set, all]) => [set, all.map(shifted)]));
}

describe.each(SAMPLES)("%s", (sample) => {
  test("has the same rows in all databases", async () => {
    const all = [];
    for (const engine of ENGINES) all.push({ engine, rows: await rowsOf(engine, sample) });
    const [first, ...others] = all;
    for (const { engine, rows } of others) {
      const found = differences(first?.rows ?? {}, engine.name === "mariadb" ? withoutZone(rows) : rows);
      const unexpected = [...found].filter((name) => !OWN.some((own) => name === own || name.startsWith(`${own}.`)));
      expect([engine.title, unexpected]).toEqual([engine.title, []]);
    }
  });

  test.each(ENGINES)("has the same $metadata at each start over $title", async (engine) => {
    const { db, close } = await openSample(engine, sample);
    try {
      expect(await metadataOf(db, engine.name)).toBe(await metadataOf(db, engine.name));
    } finally {
      await close();
    }
  });

  test("has the same $metadata in any order of the tables", async () => {
    const script = await readFile(new URL(`../../../fixtures/databases/${sample}.sqlite.sql`, import.meta.url), "utf8");
    const statements = statementsOf(script);
    const isTable = (statement: string): boolean => /^create table/i.test(statement);
    const tables = statements.filter(isTable);
    const others = statements.filter((statement) => !isTable(statement));
    const found = [];
    for (const order of [tables, tables.toReversed()]) {
      const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
      await sql`pragma foreign_keys = off`.execute(db);
      for (const statement of [...order, ...others]) await sql.raw(statement).execute(db);
      found.push(await metadataOf(db, "sqlite"));
      await db.destroy();
    }
    expect(found[1]).toBe(found[0]);
  });
});
