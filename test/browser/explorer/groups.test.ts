import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { explorerFolder } from "./made-once.ts";
import { axeFindings, openExplorer, type Explorer } from "./open-explorer.ts";
import { openOrders, ordersService } from "./orders-service.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("groups and totals", async () => {
  const db = await openOrders();
  let server: RunningServer;
  let browser: Browser;
  let explorer: Explorer;
  let job: Job;

  beforeAll(async () => {
    server = await serve(ordersService(db, { routes: [explorerRoute({ folder: await explorerFolder() })] }), {
      port: 0,
    });
    browser = await openBrowser(program ?? "");
    const options = { viewport: { width: 1280, height: 800 }, timezoneId: "Pacific/Auckland" };
    explorer = await openExplorer(browser, `${server.url}/odata`, "#/home", options);
    job = await Job.begin(explorer);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  const begin = async (fragment: string): Promise<void> => {
    await explorer.show("#/home");
    await explorer.show(fragment);
    job.restart();
  };
  const rows = async (): Promise<readonly string[]> =>
    (await explorer.page.locator(".grid tr").allInnerTexts()).map((text) => text.trim().replaceAll(/\s+/gu, " "));
  const option = (name: string): Promise<unknown> =>
    explorer.page.evaluate(`new URLSearchParams(location.hash.split("?")[1]).get(${JSON.stringify(name)})`);

  test("a total by month is three clicks, and says that months are those of UTC", async () => {
    await begin("#/grid/Orders");
    await job.click("text=Groups and totals");
    await job.click('[aria-label="Month of PlacedAt"]');
    await job.click('[aria-label="Sum of Total"]');
    expect(await job.done()).toBe("3 clicks");
    const [head, january, , march] = (await rows()).filter((text) => text !== "");
    // The last order of January is placed in February in Auckland.
    expect([head, january, march]).toEqual(["PlacedAtMonth UTC TotalSum", "Jan 2024 34,165.50", "Mar 2024 34,765.50"]);
    expect(await axeFindings(explorer.page)).toEqual([]);
    expect(explorer.complaints).toEqual([]);
  });

  test("the ten largest customers, as a chart, are five clicks", async () => {
    await begin("#/grid/Orders");
    await job.click("text=Groups and totals");
    await job.click('[aria-label="Each Customer"]');
    await job.click('[aria-label="Sum of Total"]');
    await job.click('[aria-label="Top 10: Sum of Total"]');
    const shown = (await rows()).filter((text) => text !== "");
    expect([shown[1], shown.length]).toEqual(["25 Customer Y 17,367.00", 11]);
    await job.click('a:has-text("Chart")');
    expect(await job.done()).toBe("5 clicks");
    expect(await explorer.page.locator(".chart-figure svg").count()).toBe(1);
    expect(explorer.complaints).toEqual([]);
  });

  test("a filter and a search remain, and end as they began", async () => {
    await begin("#/grid/Orders?$filter=Quantity gt 1300");
    await job.click("text=Groups and totals");
    for (const name of ["Year of PaidAt", "Week of DueOn", "Number of rows", "Least of PlacedAt"]) {
      await job.click(`[aria-label="${name}"]`);
    }
    expect((await rows()).filter((text) => text !== "")[1]).toMatch(
      /^null Week of 25 Nov 2024 1 28 Oct 2024, 23:30:00$/u,
    );
    for (const name of ["Least of PlacedAt", "Number of rows", "Week of DueOn", "Year of PaidAt"]) {
      expect(await explorer.page.locator(`[aria-label="${name}"]`).first().getAttribute("aria-pressed")).toBe("true");
      await job.click(`[aria-label="${name}"]`);
    }
    expect([await option("$apply"), await option("$filter")]).toEqual([null, "Quantity gt 1300"]);
    expect(explorer.complaints).toEqual([]);
  });

  test("totals of related entities are offered, and none of ids", async () => {
    await begin("#/grid/Customers");
    await job.click("text=Groups and totals");
    await job.click('[aria-label="Each Name"]');
    await job.click('[aria-label="Sum of Orders/Total"]');
    await job.click('[aria-label="Largest first: Sum of Orders/Total"]');
    expect((await rows()).filter((text) => text !== "")[1]).toBe("Customer Y 17,367.00");
    expect(await explorer.page.locator('[aria-label^="Sum of"]').count()).toBe(2);
    expect(explorer.complaints).toEqual([]);
  });

  test("a key closes the panel, and steps without a form stay text", async () => {
    await begin("#/grid/Orders?$apply=groupby((Customer/Name))/topcount(3,Customer/Name)");
    await job.click("text=Groups and totals");
    expect(await explorer.page.locator(".groups-panel a").innerText()).toContain("text");
    await job.press("Escape");
    expect(await explorer.page.locator(".groups-panel").count()).toBe(0);
  });
});
