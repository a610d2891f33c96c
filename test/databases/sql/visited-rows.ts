import { DatabaseSync } from "node:sqlite";
import { CompiledQuery, sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, hasRequired, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { vi } from "vitest";
import type { AnyDatabase, DatabaseEngine } from "../../engine/executors/engines.ts";
import { sentStatements } from "./sent-statements.ts";
import { withoutTimeLimit } from "./without-time-limit.ts";

const Country = entityType("Country", {
  code: edm.string().key(),
  name: edm.string(),
  region: edm.string().nullable(),
});
const City = entityType("City", {
  id: edm.int32().key(),
  name: edm.string(),
  countryCode: edm.string().nullable(),
  population: edm.int32(),
  blockId: edm.int32(),
  twinId: edm.int32(),
});

/** Countries with many cities each: the number of cities, and of cities per country, are far apart from their product. */
export const CITIES = 2500;
export const COUNTRIES = 4;
const CITIES_OF_BLOCK = 8;

/** A database of cities, and the number of rows that it reads for a request. */
export interface World {
  readonly db: AnyDatabase;
  readonly service: ODataService;
  readonly visitedBy: (target: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Makes the tables. @param hasStatistics whether the database knows the number of rows when it plans statements */
export async function makeWorld(engine: DatabaseEngine, hasStatistics: boolean): Promise<World> {
  const connections = vi.spyOn(DatabaseSync.prototype, "function");
  const { db, close } = await engine.open();
  await sql`select 1`.execute(db);
  const connection = connections.mock.contexts.at(-1);
  connections.mockRestore();
  const isView = engine.name === "sqlite";
  await fill(db, engine, isView ? "stored_" : "");
  if (hasStatistics) await analyze(db, engine);
  const visits = isView && connection instanceof DatabaseSync ? countVisits(connection) : null;
  if (isView) {
    // A view is part of each statement, so its condition is evaluated for each row that the statement reads.
    await sql`create view countries as select * from stored_countries where visit(code)`.execute(db);
    await sql`create view cities as select * from stored_cities where visit(id)`.execute(db);
  }
  const service = serviceOver(db);
  const ask = async (target: string): Promise<void> => {
    const response = await service.fetch(new Request(`http://service.example${encodeURI(target)}`));
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
  };
  const visitedBy = async (target: string): Promise<number> => {
    if (visits === null) return explained(db, engine, () => ask(target));
    visits.count = 0;
    await ask(target);
    return visits.count;
  };
  return { db, service, visitedBy, close };
}

function countVisits(connection: DatabaseSync): { count: number } {
  const visits = { count: 0 };
  connection.function("visit", (_row) => {
    visits.count += 1;
    return 1;
  });
  return visits;
}

async function fill(db: AnyDatabase, { name }: DatabaseEngine, prefix: string): Promise<void> {
  const text = {
    sqlite: "text",
    postgres: "text",
    mariadb: "varchar(40) character set utf8mb4 collate utf8mb4_nopad_bin",
  };
  const type = sql.raw(text[name]);
  const [countries, cities] = [sql.id(`${prefix}countries`), sql.id(`${prefix}cities`)];
  await sql`create table ${countries} (code ${type} primary key, name ${type} not null, region ${type})`.execute(db);
  await sql`create table ${cities} (id integer primary key, name ${type} not null, ${sql.id("countryCode")} ${type}, population integer not null,
    ${sql.id("blockId")} integer not null, ${sql.id("twinId")} integer not null)`.execute(db);
  for (let number = 0; number < COUNTRIES; number += 1) {
    await sql`insert into ${countries} values (${`C${String(number)}`}, ${`Country ${String(number)}`}, 'R')`.execute(
      db,
    );
  }
  for (let start = 0; start < CITIES; start += 500) {
    const rows = Array.from({ length: 500 }, (_none, index) => {
      const id = start + index + 1;
      const code = id % 50 === 0 ? null : `C${String(id % COUNTRIES)}`;
      return sql`(${id}, ${`City ${String(id)}`}, ${code}, ${(id * 7919) % 100_000},
        ${Math.floor(id / CITIES_OF_BLOCK)}, ${1 + ((id * 7919) % CITIES)})`;
    });
    await sql`insert into ${cities} values ${sql.join(rows)}`.execute(db);
  }
  await sql`create index cities_country on ${cities} (${sql.id("countryCode")})`.execute(db);
  await sql`create index cities_block on ${cities} (${sql.id("blockId")})`.execute(db);
}

async function analyze(db: AnyDatabase, { name }: DatabaseEngine): Promise<void> {
  await (name === "mariadb" ? sql`analyze table cities, countries` : sql`analyze`).execute(db);
}

function serviceOver(db: AnyDatabase): ODataService {
  const operations = ["read"] as const;
  return odataService({
    schemaCheck: false,
    secret: "the place of a page",
    defaults: { applyEnabled: true, paging: "keyset" },
    entitySets: [
      sqlEntitySet(Country, {
        db,
        table: "countries",
        operations,
        navigation: {
          cities: hasMany(City, { on: { code: "countryCode" }, target: "Cities" }),
          peers: hasMany(Country, { on: { region: "region" }, target: "Countries" }),
        },
      }),
      sqlEntitySet(City, {
        db,
        table: "cities",
        operations,
        search: ["name", "countryCode"],
        navigation: {
          block: hasMany(City, { on: { id: "blockId" }, target: "Cities" }),
          twin: hasRequired(City, { on: { twinId: "id" }, target: "Cities" }),
          country: hasOptional(Country, { on: { countryCode: "code" }, target: "Countries" }),
          // No index has these keys.
          admirers: hasMany(City, { on: { id: "twinId" }, target: "Cities" }),
          neighbours: hasMany(City, { on: { countryCode: "countryCode" }, target: "Cities" }),
        },
      }),
    ],
  });
}

/** Runs the statements of a request again, and returns the rows that all steps of their plans read. */
async function explained(db: AnyDatabase, { name }: DatabaseEngine, run: () => Promise<void>): Promise<number> {
  const queries = await sentStatements(db, run);
  const explain = name === "mariadb" ? "analyze format=json " : "explain (analyze, timing off, format json) ";
  let visited = 0;
  for (const { sql: sent, parameters } of queries) {
    const text = withoutTimeLimit(sent);
    if (!text.startsWith("select")) continue;
    const { rows } = await db.executeQuery(CompiledQuery.raw(explain + text, [...parameters]));
    const [plan] = rows.flatMap((row): readonly unknown[] => Object.values(row as object));
    visited += rowsOf(typeof plan === "string" ? JSON.parse(plan) : plan);
  }
  return visited;
}

const ROWS = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter", "r_rows"];

function rowsOf(plan: unknown): number {
  if (typeof plan !== "object" || plan === null) return 0;
  const step: Readonly<Record<string, unknown>> = { ...plan };
  const loops = Number(step["Actual Loops"] ?? step["r_loops"] ?? 0);
  const own = ROWS.reduce((sum, member) => sum + Number(step[member] ?? 0), 0);
  return Object.values(step).reduce<number>((sum, member) => sum + rowsOf(member), loops * own);
}
