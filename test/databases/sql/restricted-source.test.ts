import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { ENGINES, isSpread } from "../../engine/executors/engines.ts";
import { memoryService, type Service } from "../../engine/executors/relations-memory.ts";
import { navigationQuery, setQuery, targetOf, type Query } from "../../engine/executors/relations-queries.ts";
import { relationRows } from "../../engine/executors/relations-rows.ts";
import { makeTables } from "../../engine/executors/relations-tables.ts";
import { watching } from "../distributed/watched-database.ts";
import { restrictedService, VISIBILITY } from "./restricted-relations.ts";

const ORIGIN = "http://service.example";
const RUNS = caseCount(150);
const USERS = [1, 2, 3];
/** Errors for queries that one statement of a distributed database cannot express. */
const REFUSALS = /cannot join (?:what it leads to|it)|refers to anything but the related entities/;

/** The part of a path that addresses an entity of a set. */
const ENTITY = /^\/\w+\((?:'(?:[^']|'')*'|[^')])*\)/;

async function answerOf(service: Service, { path, options, pageSize }: Query, user: number): Promise<string> {
  const headers: Record<string, string> = { "x-user": String(user) };
  if (pageSize !== undefined) headers["Prefer"] = `maxpagesize=${String(pageSize)}`;
  const response = await service.fetch(new Request(ORIGIN + targetOf({ path, options }), { headers }));
  const text = `${String(response.status)} ${await response.text()}`;
  // Not every engine knows whether the parent or the related entity is missing.
  return text.startsWith("404") ? text.replace(/"message":".*?(?<!\\)"/, "") : text;
}

describe.each(ENGINES)("a restricted source over $title", ({ name: database, open }) => {
  test.each([
    ["as it is", false, setQuery, 0.5],
    ["as if spread over machines", true, setQuery, 0.4],
    ["as it is, along navigations", false, navigationQuery, 0.2],
  ] as const)(
    "%s, returns the same responses as without the other rows",
    async (_title, distributed, queries, share) => {
      let answered = 0;
      for (const round of [0, 1]) {
        const data = relationRows(round + 77);
        const { db, close } = await (distributed ? watching({ name: database, open }) : open)();
        await makeTables(db, database, data);
        const service = restrictedService({ db, database, distributed }, data, VISIBILITY);
        const oracles = new Map(USERS.map((user) => [user, memoryService(VISIBILITY.visible(data, user), "batches")]));
        const property = fc.asyncProperty(queries, fc.constantFrom(...USERS), async (query, user) => {
          const oracle = oracles.get(user);
          if (oracle === undefined) throw new Error("Every user has an oracle.");
          // Routes check whether the parent exists.
          const [parent = query.path] = ENTITY.exec(query.path) ?? [];
          if ((await answerOf(oracle, { path: parent, options: {} }, user)).startsWith("404")) return;
          const expected = await answerOf(oracle, query, user);
          const found = await answerOf(service, query, user);
          if ((distributed || isSpread()) && REFUSALS.test(found)) return;
          expect(found, `rows ${String(round)}`).toBe(expected);
          if (expected.startsWith("20")) answered += 1;
        });
        await fc.assert(property, { numRuns: RUNS, seed: round + 5 });
        await close();
      }
      expect(answered / (2 * RUNS)).toBeGreaterThan(share);
    },
  );
});
