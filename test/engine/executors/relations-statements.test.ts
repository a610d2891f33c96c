import fc from "fast-check";
import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { countStatements } from "./count-statements.ts";
import { statementsFor } from "./relations-expansions.ts";
import { navigationQuery, setQuery, targetOf, type Query } from "./relations-queries.ts";
import { relationRows } from "./relations-rows.ts";
import { makeTables, tablesService } from "./relations-tables.ts";

const RUNS = caseCount(600);

test("no request makes more statements than its expansions to many and its counts", async () => {
  const data = relationRows(99);
  const statements = countStatements(sqliteDialect(":memory:"));
  const db = new Kysely<never>({ dialect: statements.dialect, log: statements.log });
  await makeTables(db, "sqlite", data);
  const service = tablesService({ db, database: "sqlite" }, data);
  /** The statements of a request of a known shape, after the statements that run once per shape. */
  async function statementsOf(query: Query): Promise<readonly string[]> {
    for (const _time of ["first", "second"]) {
      statements.reset();
      await (await service.fetch(new Request(`http://h${targetOf(query)}`))).text();
    }
    return statements.texts();
  }
  function expectAtMost(most: number, texts: readonly string[], query: Query): void {
    expect(texts.length, `${targetOf(query)}\n${texts.join("\n")}`).toBeLessThanOrEqual(most);
  }
  const property = fc.asyncProperty(setQuery, async (query) => {
    expectAtMost(statementsFor(query), await statementsOf(query), query);
  });
  await fc.assert(property, { numRuns: RUNS, seed: 11 });
  const routes = fc.asyncProperty(navigationQuery, async (query) => {
    // The related entities, whether the parent exists, and the count.
    expectAtMost(query.options["$count"] === "true" ? 3 : 2, await statementsOf(query), query);
  });
  await fc.assert(routes, { numRuns: RUNS / 3, seed: 12 });
  await db.destroy();
});
