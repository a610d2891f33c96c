import fc from "fast-check";
import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { fuzzCount, SEED } from "../../cases.ts";
import { countStatements } from "../../engine/executors/count-statements.ts";
import { memoryService } from "../../engine/executors/relations-memory.ts";
import { setQuery, targetOf } from "../../engine/executors/relations-queries.ts";
import { relationRows } from "../../engine/executors/relations-rows.ts";
import { makeTables, tablesService } from "../../engine/executors/relations-tables.ts";

const RUNS = fuzzCount(300);

/** The forms for distributed databases, on SQLite, which supports them too. */
describe("without correlated subqueries and joined expansions", () => {
  test("returns the same as arrays, except for correlated predicates", async () => {
    const data = relationRows(7);
    const oracle = memoryService(data, "batches");
    const statements = countStatements(sqliteDialect(":memory:"));
    const db = new Kysely<never>({ dialect: statements.dialect, log: statements.log });
    await makeTables(db, "sqlite", data);
    const service = tablesService({ db, database: "sqlite", distributed: true }, data);
    let refused = 0;
    const property = fc.asyncProperty(setQuery, async (query) => {
      const url = `http://service.example${targetOf(query)}`;
      const expected = await oracle.fetch(new Request(url));
      const found = await service.fetch(new Request(url));
      const text = await found.text();
      if (found.status === 400 && text.includes("refers to anything but the related entities")) {
        refused += 1;
        return;
      }
      expect([found.status, text]).toEqual([expected.status, await expected.text()]);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED + 4 });
    expect(refused).toBeLessThan(RUNS / 5);
    const texts = statements.texts();
    expect(texts.filter((text) => /\bexists \(select 1 from "/.test(text))).toEqual([]);
    expect(texts.some((text) => text.includes("row_number() over (partition by"))).toBe(true);
    await db.destroy();
  });
});
