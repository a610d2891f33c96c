import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { sentStatements } from "./sent-statements.ts";
import { CITIES, COUNTRIES, makeWorld, type World } from "./visited-rows.ts";

const words = (operator: string): string =>
  Array.from({ length: 20 }, (_none, word) => `w${String(word)}`).join(operator);
const list = Array.from({ length: 90 }, (_none, item) => String(item * 3 + 1)).join(",");

/** Requests whose statements would read the cities of a country once per city. */
const TARGETS: readonly string[] = [
  "/Cities?$orderby=Country/Cities/$count&$top=1",
  "/Cities?$orderby=Country/Cities/$count desc,Country/Peers/$count,Country/Cities/$count add Country/Peers/$count&$top=1",
  "/Cities?$orderby=Neighbours/$count&$top=1",
  "/Countries?$orderby=Cities/$count&$top=1",
  "/Countries/$count?$filter=Cities/$count gt 5",
  "/Cities/$count?$filter=Country/Cities/$count gt Population",
  "/Cities/$count?$filter=Country/Cities/$count gt 5",
  "/Cities/$count?$filter=Country/Cities/$count add Id gt 500000",
  "/Cities/$count?$filter=Country/Cities/any(c: c/Population lt 0)",
  "/Cities?$filter=Country/Cities/any(c: c/Population lt 0)&$expand=Country&$top=1",
  "/Cities?$filter=Country/Cities/all(c: c/Population ge 0) eq false&$expand=Country&$top=1",
  "/Cities?$orderby=Country/Cities/any(c: c/Population lt 0),Country/Name&$expand=Country&$top=1",
  "/Cities?$expand=Country($filter=Cities/$count lt 1)&$orderby=Population&$top=1",
  "/Cities?$expand=Country($filter=Cities/any(c: c/Population lt 0))&$orderby=Population&$top=1",
  "/Cities/$count?$filter=Neighbours/any(c: c/Population lt 0)",
  "/Cities/$count?$filter=$root/Countries('C0')/Cities/any(c: c/Population lt 0)",
  "/Cities/$count?$filter=$root/Countries('C0')/Cities/$count lt Population",
  "/Countries/$count?$filter=Cities/any(c: c/Country/Cities/any(d: d/Population lt 0))",
  "/Countries/$count?$filter=Cities/any(c: Cities/any(d: d/Population lt 0))",
  "/Countries/$count?$filter=Cities/any(c: Cities/$count lt c/Population sub 1000000)",
  "/Countries/$count?$filter=Cities/any(c: c/Country/Cities/$count lt c/Population sub 1000000)",
  "/Countries?$expand=Cities($orderby=Country/Cities/$count desc;$top=1)",
  "/Cities?$top=100&$orderby=Id&$expand=Block($top=5;$expand=Twin)",
  "/Cities/$count?$filter=Neighbours/$count gt 5",
  "/Cities/$count?$filter=Twin/Neighbours/$count gt 5",
  "/Cities/$count?$filter=Twin/Country/Cities/$count gt 5",
  "/Cities/$count?$filter=Country/Cities/$count eq Neighbours/$count",
  "/Cities/$count?$filter=Block/$count gt 5",
  "/Cities?$orderby=Block/$count&$top=1",
  "/Cities?$orderby=Twin/Neighbours/$count&$top=1",
  "/Cities?$orderby=Twin/Country/Cities/$count desc&$top=1",
  "/Countries?$expand=Cities($filter=Neighbours/$count gt 5;$top=1)",
  "/Cities?$expand=Neighbours($top=1)&$top=20",
  "/Countries/$count?$filter=Cities/any(c: c/Block/any(b: b/Population lt 0))",
  "/Countries/$count?$filter=Cities/any(c: c/Block/any(b: b/Population lt c/Population sub 1000000))",
  "/Countries/$count?$filter=Cities/all(c: c/Country/Cities/all(d: d/Population ge 0))",
  "/Countries/$count?$filter=Cities/any(c: c/Twin/Neighbours/any(n: n/Population lt 0))",
  "/Countries/$count?$filter=Cities/any(c: c/Country/Cities/any(d: d/Country/Cities/any(e: e/Population lt 0)))",
  "/Cities/$count?$filter=Block/any(b: b/Population gt $it/Population add 1000000)",
  `/Cities?$search=${words(" OR ")}&$count=true&$top=1`,
  `/Cities?$search=${words(" ")}&$top=1`,
  "/Countries?$expand=Cities($search=nowhere OR City)",
  "/Cities?$expand=Country,Neighbours($search=nowhere;$top=1)&$top=10",
  `/Cities/$count?$filter=Id in (${list})`,
  `/Cities/$count?$filter=Population in (${list})`,
  `/Cities/$count?$filter=not (Population in (${list}))`,
  `/Cities/$count?$filter=Twin/Population in (${list})`,
  `/Cities/$count?$filter=Neighbours/any(n: n/Population in (${list}))`,
  `/Cities/$count?$filter=Country/Cities/$count in (${list})`,
  // A navigation without an index.
  "/Cities?$orderby=Twin/Admirers/$count&$top=1",
];

describe.each(ENGINES)("over $title", (engine) => {
  describe.each(engine.name === "sqlite" ? [true, false] : [true])("with statistics: %s", (hasStatistics) => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(engine, hasStatistics);
    });
    afterAll(() => world.close());

    // The product is a million.
    test.each(TARGETS)("%s reads each row a few times", async (target) => {
      expect(await world.visitedBy(target)).toBeLessThan(20 * (CITIES + COUNTRIES));
    });

    test.runIf(engine.title === "PGlite")(
      "a list larger than the memory of a statement is not searched per row",
      async () => {
        await sql`set work_mem = '64kB'`.execute(world.db);
        await sql`set hash_mem_multiplier = 1`.execute(world.db);
        onTestFinished(async () => {
          await sql`reset work_mem`.execute(world.db);
          await sql`reset hash_mem_multiplier`.execute(world.db);
        });
        for (const filter of ["not (Twin/Population gt -1)", "Twin/Population gt -1 or Population eq -1"]) {
          const target = `/Cities/$count?$filter=${filter}`;
          expect(await world.visitedBy(target), target).toBeLessThan(20 * (CITIES + COUNTRIES));
        }
      },
    );

    test.runIf(engine.name === "postgres")("cells are computed for the rows of the page only", async () => {
      const target = "http://service.example/Cities?$orderby=Population,Id&$skip=100&$top=10";
      const sent = await sentStatements(world.db, async () => {
        expect((await world.service.fetch(new Request(target))).status).toBe(200);
      });
      // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a batch of the driver is an object with a text
      const texts = sent.map((query) => query.sql.toString());
      expect(texts).toEqual([
        expect.stringMatching(
          /^select "page"\."c0"::text as "c0", .* from \(select [^:]* order by [^:]* limit \$2 offset \$3\) as "page"$/u,
        ),
      ]);
    });

    // An index has the keys.
    test("a page of groups reads its own rows", async () => {
      const most = 500;
      let target = "/Cities?$apply=groupby((BlockId),aggregate(Population with sum as P,$count as N))";
      for (let page = 0; page < 3; page += 1) {
        expect(await world.visitedBy(`${target}&$top=10`), target).toBeLessThan(most);
        const headers = { Prefer: "maxpagesize=100" };
        const response = await world.service.fetch(
          new Request(`http://service.example${encodeURI(target)}`, { headers }),
        );
        const body = (await response.json()) as { readonly "@odata.nextLink": string };
        target = decodeURIComponent(body["@odata.nextLink"].replace("http://service.example", ""));
      }
      expect(target).toContain("$skiptoken=");
    });

    test("counts visited rows", async () => {
      expect(await world.visitedBy("/Cities/$count?$filter=Population ge 0")).toBeGreaterThanOrEqual(CITIES);
    });
  });
});
