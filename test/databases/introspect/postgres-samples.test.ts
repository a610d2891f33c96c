import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { openSample, SAMPLES, type SampleName } from "../../fixtures/databases/load.ts";
import { readSchema } from "./postgres-hostile.ts";

/** Tables with a primary key, foreign keys, and views with a proven key at least; the plans decide about further views. */
const COUNTS: Readonly<Record<SampleName, readonly [tables: number, foreignKeys: number, provenViews: number]>> = {
  chinook: [11, 11, 0],
  northwind: [13, 13, 8],
  sakila: [15, 22, 4],
};

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("$title", (engine) => {
  test.each(SAMPLES)("%s is read whole, and proven keys of views are unique in the data", async (sample) => {
    const { db, close } = await openSample(engine, sample);
    try {
      const { rows } = await sql<{ readonly schema: string }>`select current_schema() as schema`.execute(db);
      const { objects } = await readSchema(db, [rows[0]?.schema ?? ""]);
      const tables = objects.filter(({ kind, omission }) => kind === "table" && omission === null);
      const views = objects.filter(({ kind, provenKey }) => kind === "view" && provenKey.length > 0);
      const [tableCount, foreignKeys, provenViews] = COUNTS[sample];
      expect(tables.filter(({ primaryKey }) => primaryKey.length > 0)).toHaveLength(tableCount);
      expect(tables.flatMap((table) => table.foreignKeys)).toHaveLength(foreignKeys);
      expect(views.length).toBeGreaterThanOrEqual(provenViews);
      for (const { name, provenKey } of views) {
        const keys = await db.selectFrom(name).select(provenKey).execute();
        const texts = keys.map((key) => JSON.stringify(key));
        expect([name, new Set(texts).size]).toEqual([name, texts.length]);
        expect([name, keys.flatMap((key) => Object.values(key)).includes(null)]).toEqual([name, false]);
      }
    } finally {
      await close();
    }
  });
});
