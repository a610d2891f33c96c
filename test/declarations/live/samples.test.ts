import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type DatabaseEngine, type OpenDatabase } from "../../executors/engines.ts";
import { openSample, type SampleName } from "../../fixtures/databases/load.ts";
import { openHostile as openHostileMariadb, MARIADB } from "../../introspect/mysql-hostile.ts";
import { openHostile as openHostilePostgres } from "../../introspect/postgres-hostile.ts";
import { openHostile as openHostileSqlite } from "../../introspect/sqlite-hostile.ts";
import { sendEverything } from "./send-everything.ts";

/** The numbers of tables. Sakila has one more where it has no full-text search. */
const TABLES: Readonly<Record<SampleName, Readonly<Record<DatabaseEngine["name"], number>>>> = {
  chinook: { sqlite: 11, postgres: 11, mariadb: 11 },
  northwind: { sqlite: 13, postgres: 13, mariadb: 13 },
  sakila: { sqlite: 16, postgres: 15, mariadb: 16 },
};

/** A test server contains schemas of other tests. */
async function schemaOf({ db }: OpenDatabase, engine: DatabaseEngine): Promise<readonly string[] | undefined> {
  if (engine.name !== "postgres") return undefined;
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows.map(({ name }) => name);
}

describe.each(ENGINES)("known databases in $title", (engine) => {
  test.each(["chinook", "northwind", "sakila"] as const)("%s: each property and navigation works", async (sample) => {
    const opened = await openSample(engine, sample);
    try {
      const schemas = await schemaOf(opened, engine);
      const { entitySets, described } = await introspectDatabase(opened.db, { schemas });
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
      await service.ready();
      expect(described.sets.filter(({ kind }) => kind === "table").length).toBe(TABLES[sample][engine.name]);
      expect(await sendEverything(service, described)).toEqual([]);
    } finally {
      await opened.close();
    }
  });
});

const HOSTILE = [
  ["SQLite", openHostileSqlite, undefined],
  ["PGlite", openHostilePostgres, undefined],
  ...(MARIADB === undefined ? [] : [["MariaDB", openHostileMariadb, undefined] as const]),
] as const;

describe.each(HOSTILE)("a hostile database in %s", (_title, open) => {
  test("no request is a 500", async () => {
    const opened = await open();
    try {
      const { entitySets, described } = await introspectDatabase(opened.db);
      const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
      await service.ready();
      const failures = await sendEverything(service, described);
      // The rows of one view divide by zero.
      expect(failures.filter(([path, status]) => status !== 501 || !path.startsWith("VBrokens"))).toEqual([]);
    } finally {
      await opened.close();
    }
  });
});
