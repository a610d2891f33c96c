import fc from "fast-check";
import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test, vi } from "vitest";
import type * as Profiles from "../../../src/databases/read/find-dialect-profile.ts";
import { fuzzCount, SEED } from "../../cases.ts";
import { countStatements } from "../../engine/executors/count-statements.ts";
import { memoryService } from "../../engine/executors/relations-memory.ts";
import { setQuery, targetOf } from "../../engine/executors/relations-queries.ts";
import { relationRows } from "../../engine/executors/relations-rows.ts";
import { makeTables, tablesService } from "../../engine/executors/relations-tables.ts";

/** The forms for distributed databases, on SQLite, which supports them too. */
vi.mock("../../../src/databases/read/find-dialect-profile.ts", async (original) => {
  const profiles = await original<typeof Profiles>();
  return {
    ...profiles,
    findDialectProfile: (db: Parameters<typeof profiles.findDialectProfile>[0]) => {
      const profile = profiles.findDialectProfile(db);
      const capabilities = { topPerParent: "window", correlatedSubqueries: false, joins: false };
      return profile === null ? null : { ...profile, capabilities };
    },
  };
});

const RUNS = fuzzCount(300);

describe("without correlated subqueries and joined expansions", () => {
  test("returns the same as arrays, except for correlated predicates", async () => {
    const data = relationRows(7);
    const oracle = memoryService(data, "batches");
    const statements = countStatements(sqliteDialect(":memory:"));
    const db = new Kysely<never>({ dialect: statements.dialect, log: statements.log });
    await makeTables(db, "sqlite", data);
    const service = tablesService({ db, database: "sqlite" }, data);
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
