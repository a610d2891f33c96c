import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { explorerFolder } from "./made-once.ts";
import { type Explorer, openExplorer } from "./open-explorer.ts";

const program = findBrowser();

const Visit = entityType("Visit", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }),
  note: edm.string(),
  isPaid: edm.boolean().nullable(),
});
const VISITS = Array.from({ length: 3000 }, (_, id) => ({
  id,
  at: new Date(Date.UTC(2023, 0, 1) + id * 7_201_234).toISOString(),
  note: id === 44 ? "needle" : "hay",
  isPaid: [true, false, null][id % 3] ?? null,
}));

describe.skipIf(program === undefined)("the numbers of the explorer", () => {
  let server: RunningServer;
  let browser: Browser;
  beforeAll(async () => {
    const service = odataService({
      prefix: "/s",
      profile: "standard",
      routes: [explorerRoute({ folder: await explorerFolder() })],
      entitySets: [
        entitySet(Visit, {
          queryable: () => arraySource(Visit, VISITS),
          getByKey: (id) => VISITS[id] ?? null,
          etag: "all",
        }),
      ],
    });
    server = await serve(service, { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const open = (fragment: string, width = 1280): Promise<Explorer> =>
    openExplorer(browser, `${server.url}/s`, fragment, {
      viewport: { width, height: 800 },
      timezoneId: "America/Los_Angeles",
    });
  const rowCount = async ({ page }: Explorer): Promise<number> =>
    Number(await page.locator(".grid").getAttribute("aria-rowcount")) - 1;

  test("a chart of many instants is in UTC, and a bar leads to as many rows as it shows", async () => {
    const explorer = await open("#/chart/Visits?y=$count&x=At");
    const { page, settle } = explorer;
    expect(await page.locator("h2 .zone").innerText()).toBe("UTC");
    const point = `document.querySelectorAll(".chart-point")[1]`;
    const label = String(await page.evaluate(`${point}.getAttribute("aria-label")`));
    await page.evaluate(`location.hash = ${point}.getAttribute("href")`);
    await settle();
    expect([label, await rowCount(explorer)]).toEqual([label, Number(/(\d+)$/u.exec(label)?.[1])]);
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });

  test.each([1280, 320])("a range says its end and its number at %i px, and leads to so many rows", async (width) => {
    const explorer = await open(
      "#/grid/Visits?$filter=At ge 2023-03-01T08:00:00Z and At lt 2023-07-01T07:00:00Z",
      width,
    );
    const { page, settle } = explorer;
    await page.locator('th button[aria-label="Filter by At"]').click();
    await settle();
    const ranges = page.locator('[aria-label="Ranges of values"] button');
    const cut =
      await page.evaluate(`[...document.querySelectorAll('[aria-label="Ranges of values"] button')].flatMap((button) => {
      const [text, count] = [".summary-text", ".summary-count"].map((each) => button.querySelector(each));
      const lines = count.getClientRects().length + Math.round(count.offsetHeight / 24) - 1;
      return lines > 1 || button.scrollWidth > button.clientWidth || text.scrollWidth > text.clientWidth + 1 || button.scrollHeight > button.clientHeight ? [button.innerText] : [];
    })`);
    expect(cut).toEqual([]);
    for (const at of [0, (await ranges.count()) - 1]) {
      const count = Number((await ranges.nth(at).locator(".summary-count").innerText()).replaceAll(",", ""));
      await ranges.nth(at).click();
      await settle();
      expect(await rowCount(explorer)).toBe(count);
      await page.evaluate("history.back()");
      await settle();
      await page.locator('th button[aria-label="Filter by At"]').click();
      await settle();
    }
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });

  test("a result of a search shows the searched texts, and no ETag", async () => {
    const explorer = await open("#/find?text=needle");
    const { page } = explorer;
    const text = await page.locator("main section").innerText();
    expect(text).toContain("needle");
    expect(text).not.toMatch(/W\/|"/u);
    await page.close();
  });

  test("boxes of a Boolean are a condition in words", async () => {
    const explorer = await open("#/grid/Visits?$filter=IsPaid in (true,null)");
    expect(await explorer.page.locator(".grid-chip").allInnerTexts()).toEqual(["IsPaid is one of true, null"]);
    expect(await rowCount(explorer)).toBe(2000);
    await explorer.page.close();
  });
});
