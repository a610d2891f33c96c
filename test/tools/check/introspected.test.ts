import { sql } from "kysely";
import { odataService } from "odatakit";
import { checkDatabase } from "odatakit/check";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseName } from "../../engine/executors/engines.ts";
import { openSample, SAMPLES } from "../../fixtures/databases/load.ts";

/** Another test file has other schemas in the database of the server. */
async function schemasOf(db: AnyDatabase, name: DatabaseName): Promise<readonly string[] | undefined> {
  if (name !== "postgres") return undefined;
  const { rows } = await sql<{ readonly schema: string }>`select current_schema() as schema`.execute(db);
  return rows.map(({ schema }) => schema);
}

describe.each(ENGINES)("declarations that $title itself describes", (engine) => {
  test.each(SAMPLES)("have no finding in %s but of collations", async (sample) => {
    const { db, close } = await openSample(engine, sample);
    try {
      const schemas = await schemasOf(db, engine.name);
      const { entitySets } = await introspectDatabase(db, { schemas });
      const { findings, sets } = await checkDatabase(odataService({ schemaCheck: false, entitySets }));
      expect(sets).toBeGreaterThan(10);
      expect(findings.filter(({ code }) => code !== "C09")).toEqual([]);
    } finally {
      await close();
    }
  });
});
