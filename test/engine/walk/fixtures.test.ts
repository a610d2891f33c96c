import { sql } from "kysely";
import { odataService, type Logger } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { openSample, type FixtureName } from "../../fixtures/databases/load.ts";
import { ENGINES, type DatabaseEngine, type OpenDatabase } from "../executors/engines.ts";
import { countRows } from "./count-rows.ts";
import { walkService } from "./walk-service.ts";

/** The numbers of tables. Sakila has one more where it has no full-text search. */
const TABLES: Readonly<Record<FixtureName, Readonly<Record<DatabaseEngine["name"], number>>>> = {
  chinook: { sqlite: 11, postgres: 11, mariadb: 11 },
  northwind: { sqlite: 13, postgres: 13, mariadb: 13 },
  sakila: { sqlite: 16, postgres: 15, mariadb: 16 },
  inherited: { sqlite: 10, postgres: 6, mariadb: 7 },
};

const SILENT: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** A test server contains schemas of other tests. */
async function schemaOf({ db }: OpenDatabase, engine: DatabaseEngine): Promise<readonly string[] | undefined> {
  if (engine.name !== "postgres") return undefined;
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows.map(({ name }) => name);
}

describe.each(ENGINES)("a walk through databases in $title", (engine) => {
  test.each(Object.keys(TABLES) as FixtureName[])("%s: each answer is right", async (fixture) => {
    const opened = await openSample(engine, fixture);
    try {
      const schemas = await schemaOf(opened, engine);
      const { entitySets, described } = await introspectDatabase(opened.db, { schemas });
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger: SILENT });
      await service.ready();
      expect(described.sets.filter(({ kind }) => kind === "table").length).toBe(TABLES[fixture][engine.name]);
      const counts = await countRows(opened, described);
      const { refused, faults } = await walkService(service, "http://service.example/odata/", counts);
      expect({ refused, faults }).toEqual({ refused: [], faults: [] });
    } finally {
      await opened.close();
    }
  });
});
