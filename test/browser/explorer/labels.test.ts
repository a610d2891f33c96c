import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { worldService } from "../../../examples/world/service.ts";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { explorerFolder, openWorldCopy, startThreads } from "./made-once.ts";
import { axeFindings, openExplorer } from "./open-explorer.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("labels in the explorer", async () => {
  const db = await openWorldCopy();
  let server: RunningServer;
  let browser: Browser;

  beforeAll(async () => {
    const world = worldService(db, true, [explorerRoute({ folder: await explorerFolder() })]);
    await startThreads(world);
    server = await serve(world, { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  async function open(fragment: string) {
    const explorer = await openExplorer(browser, `${server.url}/odata`, fragment);
    const heading = () => explorer.page.locator("h1").innerText();
    const crumbs = () => explorer.page.locator(".crumbs li").allInnerTexts();
    return { ...explorer, heading, crumbs };
  }

  test("follow a relation two steps with 2 clicks", async () => {
    const explorer = await open("#/grid/Stops?$select=Place,CityId");
    const { page, heading, crumbs, complaints } = explorer;
    const job = await Job.begin(explorer);
    expect(await page.locator(".grid .grid-label").allInnerTexts()).toEqual(["Lisbon"]);
    await job.click(".grid tbody td:nth-child(2) a");
    expect(await heading()).toBe("Lisbon");
    await job.click('dd a:text-is("Portugal")');
    expect([await heading(), await crumbs()]).toEqual(["Portugal", ["Home", "Countries", "('PT')"]]);
    expect(await job.done()).toBe("2 clicks");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("stand in the heading of related rows, in the title of the window and in the path", async () => {
    const { page, heading, crumbs, complaints } = await open("#/grid/Countries('PT')/Cities");
    expect([await heading(), await page.title(), await crumbs()]).toEqual([
      "Cities of Portugal",
      expect.stringContaining("Cities of Portugal"),
      ["Home", "Countries", "Portugal", "Cities"],
    ]);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("stand in the path to one related record", async () => {
    const { page, heading, crumbs, complaints } = await open("#/record/Cities(2267057)/Country");
    expect([await heading(), await crumbs()]).toEqual(["Portugal", ["Home", "Cities", "Lisbon", "Country"]]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("are keys where the service refuses them", async () => {
    const { page, heading, crumbs, show } = await open("#/home");
    await page.evaluate(`(() => {
      const send = fetch;
      globalThis.fetch = (url, init) => String(url).endsWith("Countries('PT')?$select=Name")
        ? Promise.resolve(new Response('{"error":{"code":"Forbidden","message":"no"}}', { status: 403, headers: { "Content-Type": "application/json" } }))
        : send(url, init);
    })()`);
    await show("#/grid/Countries('PT')/Cities");
    expect([await heading(), await crumbs()]).toEqual(["Cities", ["Home", "Countries", "('PT')", "Cities"]]);
    await page.close();
  });
});
