import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { explorerFolder } from "./made-once.ts";
import { axeFindings, openExplorer, type Explorer } from "./open-explorer.ts";
import { openOrders, ordersService } from "./orders-service.ts";

const program = findBrowser();

/** When two orders were paid, at half past twelve in UTC: the clock of Los Angeles goes forward between them. */
const ZONES = [
  ["UTC", "9 Mar 2024, 12:30:00", "12 Mar 2024, 12:30:00"],
  ["Pacific/Auckland", "10 Mar 2024, 01:30:00", "13 Mar 2024, 01:30:00"],
  ["America/Los_Angeles", "9 Mar 2024, 04:30:00", "12 Mar 2024, 05:30:00"],
  ["Asia/Kathmandu", "9 Mar 2024, 18:15:00", "12 Mar 2024, 18:15:00"],
] as const;

describe.skipIf(program === undefined)("times in the explorer", async () => {
  const db = await openOrders();
  let server: RunningServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await serve(ordersService(db, { routes: [explorerRoute({ folder: await explorerFolder() })] }), {
      port: 0,
    });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  const open = (timezoneId: string, fragment: string): Promise<Explorer> =>
    openExplorer(browser, `${server.url}/odata`, fragment, { viewport: { width: 1600, height: 800 }, timezoneId });
  /** Returns the texts of a row, and of the headings. */
  const texts = async ({ page }: Explorer, row: number): Promise<readonly string[]> =>
    (await page.locator(`.grid tr[aria-rowindex="${row}"]`).locator("th, td").allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/gu, " ").trim(),
    );

  test.each(ZONES)(
    "a browser in %s shows columns without a zone in UTC, and instants as the reader chooses",
    async (...row) => {
      const [zone, ...paid] = row;
      const explorer = await open(zone, "#/grid/Orders?$select=Id,PlacedAt,DueOn,PaidAt&$filter=Id in (10069,10072)");
      expect(await texts(explorer, 1)).toEqual(["Id", "PlacedAt UTC", "DueOn UTC", "PaidAt local"]);
      expect(await texts(explorer, 2)).toEqual(["10069", "9 Mar 2024, 23:30:00", "9 Apr 2024", paid[0]]);
      expect(await texts(explorer, 3)).toEqual(["10072", "12 Mar 2024, 23:30:00", "12 Apr 2024", paid[1]]);
      await explorer.page.locator('button:has-text("Times: local")').click();
      expect(await texts(explorer, 1)).toContain("PaidAt UTC");
      expect(await texts(explorer, 3)).toContain("12 Mar 2024, 12:30:00");
      await explorer.show("#/record/Orders(10072)");
      expect(await explorer.page.locator("dd .zone").allInnerTexts()).toEqual(["UTC", "UTC", "UTC"]);
      expect(await axeFindings(explorer.page)).toEqual([]);
      expect(explorer.complaints).toEqual([]);
      await explorer.page.close();
    },
  );

  test("a midnight has its time where another row has one", async () => {
    const explorer = await open("UTC", "#/grid/Orders?$select=Id,PlacedAt,DueOn&$top=3");
    expect((await texts(explorer, 2)).slice(1)).toEqual(["1 Jan 2024, 23:30:00", "1 Feb 2024"]);
    await explorer.page.close();
  });

  test("a copied cell has the exact value", async () => {
    const explorer = await open("Pacific/Auckland", "#/grid/Orders?$select=Id,PlacedAt,Quantity&$filter=Id eq 10071");
    const { page } = explorer;
    const copied = async (): Promise<unknown> => {
      const event = `new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true })`;
      return page.evaluate(`(() => {
        const event = ${event};
        document.querySelector(".grid").dispatchEvent(event);
        return event.clipboardData.getData("text/plain");
      })()`);
    };
    expect(await texts(explorer, 2)).toEqual(["10071", "11 Mar 2024, 23:30:00", "1,070"]);
    await page.locator(".grid").press("ArrowRight");
    expect(await copied()).toBe("2024-03-11T23:30:00.000Z");
    await page.locator(".grid").press("ArrowRight");
    expect(await copied()).toBe("1070");
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.grid tr[aria-rowindex="2"]'))`);
    expect(await copied()).toBe("10071\t2024-03-11T23:30:00.000Z\t1070");
    await page.close();
  });

  test("a year and an id have no separator of thousands", async () => {
    const explorer = await open("UTC", "#/grid/Orders?$select=Id,CustomerId,VintageYear,Quantity&$top=1");
    expect(await texts(explorer, 2)).toEqual(["10001", "1Customer A", "1990", "1,000"]);
    await explorer.page.close();
  });
});
