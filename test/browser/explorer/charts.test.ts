import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { explorerFolder } from "./made-once.ts";
import { axeFindings, openExplorer, type Explorer } from "./open-explorer.ts";
import { openOrders, ordersService } from "./orders-service.ts";

const program = findBrowser();

/** A point of a chart: its name for a screen reader, and where it leads. */
const POINTS = `[...document.querySelectorAll(".chart-picture a")].map((a) => [a.getAttribute("aria-label"), a.getAttribute("href")])`;

describe.skipIf(program === undefined)("charts", async () => {
  const db = await openOrders();
  let server: RunningServer;
  let browser: Browser;

  beforeAll(async () => {
    const routes = [explorerRoute({ folder: await explorerFolder() })];
    server = await serve(ordersService(db, { routes }), { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  const open = (fragment: string, timezoneId = "Pacific/Auckland"): Promise<Explorer> =>
    openExplorer(browser, `${server.url}/odata`, fragment, { viewport: { width: 1280, height: 800 }, timezoneId });
  const pointsOf = async ({ page }: Explorer): Promise<readonly (readonly [label: string, href: string])[]> =>
    (await page.evaluate(POINTS)) as readonly (readonly [string, string])[];

  test("the bars of months are those of the stored days, and lead to their rows by the keyboard", async () => {
    const explorer = await open("#/chart/Orders?x=PlacedAt&y=$count");
    const points = await pointsOf(explorer);
    expect(points.map(([label]) => label.replace(/: .* /u, " "))).toEqual(
      [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map(
        (days, month) =>
          `${new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" }).format(Date.UTC(2024, month))} ${days}`,
      ),
    );
    const { page } = explorer;
    await page.locator(".chart-picture a").first().press("ArrowRight");
    await page.keyboard.press("Enter");
    await explorer.settle();
    expect(await page.evaluate("decodeURIComponent(location.hash)")).toBe(
      "#/grid/Orders?$filter=PlacedAt ge 2024-02-01T00:00:00Z and PlacedAt lt 2024-03-01T00:00:00Z",
    );
    expect(await page.evaluate(`document.querySelector(".grid").getAttribute("aria-rowcount")`)).toBe("30");
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });

  test("where clocks change, the page groups instants that it has read, and the service groups them in UTC", async () => {
    const explorer = await open("#/chart/Orders?x=PaidAt&y=$count&by=day&$filter=Id eq 10069");
    const asked = (): boolean => explorer.requests.some((each) => each.includes("groupby"));
    // Half past twelve in UTC is another day there.
    expect((await pointsOf(explorer)).map(([label]) => label.split(":", 1)[0])).toEqual(["10 Mar 2024"]);
    expect(asked()).toBe(false);
    const [, href = ""] = (await pointsOf(explorer))[0] ?? [];
    expect(decodeURIComponent(href)).toContain("PaidAt ge 2024-03-09T11:00:00Z and PaidAt lt 2024-03-10T11:00:00Z");
    await explorer.page.locator("button:has-text('Times: local')").click();
    await explorer.settle();
    expect((await pointsOf(explorer)).map(([label]) => label.split(":", 1)[0])).toEqual(["9 Mar 2024"]);
    expect(asked()).toBe(true);
    await explorer.page.close();
  });

  test("the table beside a picture leads to the same rows, and nothing is lost for readers of the screen", async () => {
    const explorer = await open("#/chart/Orders?x=Customer&y=Total");
    const { page } = explorer;
    await page.locator("figure summary").click();
    const links = `[...document.querySelectorAll("figure td a")].map((a) => a.getAttribute("href"))`;
    expect(await page.evaluate(links)).toEqual((await pointsOf(explorer)).map(([, href]) => href));
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  test("along a navigation without totals, a chart shows each row", async () => {
    const explorer = await open("#/chart/Customers(1)/Orders?x=VintageYear");
    const points = await pointsOf(explorer);
    expect(points).toHaveLength(15);
    expect(points[0]?.[1]).toBe("#/record/Orders(10001)");
    expect(await explorer.page.locator("figure").innerText()).not.toMatch(/1,99\d|2,0\d\d/u);
    await explorer.page.close();
  });

  test("the customers with the greatest totals are a chart after a few clicks", async () => {
    const explorer = await open("#/home");
    const { page } = explorer;
    const job = await Job.begin(explorer);
    await job.click('main a:has-text("Orders")');
    await job.click('.tabs a:has-text("Chart")');
    await job.click('.check:has-text("Total") input');
    await job.click('.check:has-text("Quantity") input');
    await page.locator('.chart-fields .field:has(label:text-is("Horizontal")) select').press("C");
    expect(await job.done()).toBe("4 clicks, 1 key");
    const totals = (await pointsOf(explorer)).map(([label]) => Number(label.replaceAll(/^.* |,/gu, "")));
    expect(await page.locator("figure h2").innerText()).toContain("Customer");
    expect(totals).toHaveLength(25);
    expect(totals).toEqual(totals.toSorted((left, right) => right - left));
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });

  test("of more groups than it has room for, a chart says how many there are, and leads to all", async () => {
    const explorer = await open("#/chart/Orders?x=Quantity&y=$count");
    const { page } = explorer;
    expect(await pointsOf(explorer)).toHaveLength(200);
    expect(await page.locator("figure .notice").innerText()).toContain("200 of 366 groups");
    await page.locator("figure .notice a").click();
    await explorer.settle();
    expect(await page.locator(".grid").getAttribute("aria-rowcount")).toBe("367");
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });

  test("a choice of another axis, period and total stays in the URL", async () => {
    const explorer = await open("#/chart/Orders");
    const { page } = explorer;
    const choose = async (label: string, value: string): Promise<void> => {
      await page.locator(`.chart-fields .field:has(label:text-is("${label}")) select`).selectOption(value);
      await explorer.settle();
    };
    await choose("Horizontal", "DueOn");
    await choose("By", "quarter");
    await choose("Total", "max");
    expect(await page.evaluate("location.hash")).toBe("#/chart/Orders?x=DueOn&by=quarter&total=max");
    expect((await pointsOf(explorer)).map(([label]) => label.split(":", 1)[0])).toEqual([
      "Q1 2024",
      "Q2 2024",
      "Q3 2024",
      "Q4 2024",
      "Q1 2025",
    ]);
    await choose("Rows", "each");
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });
});
