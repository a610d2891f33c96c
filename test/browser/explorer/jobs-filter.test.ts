import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { explorerFolder } from "./made-once.ts";
import { type Explorer, openExplorer } from "./open-explorer.ts";
import { salesService } from "./sales-service.ts";

const program = findBrowser();

/** Days from today on, in the zone of the browser. */
const DAYS = `(() => {
  const day = (date) => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  const now = new Date();
  return [day(now), day(new Date(now.getFullYear(), now.getMonth(), 1)), day(new Date(now.getFullYear(), now.getMonth() + 1, 0)), new Date(now.getFullYear(), now.getMonth(), 1).toISOString(), new Date(now.getFullYear(), now.getMonth() + 1, 1).toISOString()];
})()`;

describe.skipIf(program === undefined)("filtering by a column", () => {
  let server: RunningServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await serve(salesService({ routes: [explorerRoute({ folder: await explorerFolder() })] }), { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const open = (fragment: string, timezoneId = "Europe/Berlin"): Promise<Explorer> =>
    openExplorer(browser, `${server.url}/sales`, fragment, { viewport: { width: 2560, height: 900 }, timezoneId });
  const filterOf = ({ page }: Explorer): Promise<unknown> =>
    page.evaluate(`new URLSearchParams(location.hash.split("?")[1] ?? "").get("$filter")`);
  const ids = ({ page }: Explorer): Promise<unknown> =>
    page.evaluate(
      `[...document.querySelectorAll(".grid tbody tr[aria-rowindex]")].map((row) => Number(row.querySelector("td").innerText))`,
    );
  const openMenu = async ({ page, settle }: Explorer, name: string): Promise<void> => {
    await page.locator(`th button[aria-label="Filter by ${name}"]`).click();
    await settle();
  };

  test("by a named range of dates takes 2 clicks, and by instants those of the shown zone", async () => {
    const explorer = await open("#/grid/Sales", "Pacific/Auckland");
    const job = await Job.begin(explorer);
    await job.click('th button[aria-label="Filter by Day"]');
    await job.click('.popover button:has-text("This month")');
    const [, first = "", last = "", from, until] = (await explorer.page.evaluate(DAYS)) as readonly string[];
    expect([await filterOf(explorer), await job.done()]).toEqual([`Day ge ${first} and Day le ${last}`, "2 clicks"]);
    await explorer.show("#/grid/Sales");
    await job.click('th button[aria-label="Filter by At"]');
    await job.click('.popover button:has-text("This month")');
    const plain = (instant: string | undefined): string => String(instant).replace(".000Z", "Z");
    expect(await filterOf(explorer)).toBe(`At ge ${plain(from)} and At lt ${plain(until)}`);
    expect(explorer.complaints).toEqual([]);
    await explorer.page.close();
  });

  test.each([
    ["UTC", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", [2, 3]],
    ["Asia/Tokyo", "2024-02-28T15:00:00Z", "2024-02-29T15:00:00Z", [1, 2]],
    ["America/New_York", "2024-02-29T05:00:00Z", "2024-03-01T05:00:00Z", [2, 3]],
  ])("by days of instants takes 3 clicks, in %s", async (zone, from, until, found) => {
    const explorer = await open("#/grid/Sales", zone);
    const { page } = explorer;
    const job = await Job.begin(explorer);
    await job.click('th button[aria-label="Filter by At"]');
    await job.click('.popover input[type="date"]');
    await page.locator('.popover input[type="date"]').nth(0).fill("2024-02-29");
    await page.locator('.popover input[type="date"]').nth(1).fill("2024-02-29");
    await job.click('.popover button:has-text("Show")');
    expect([await filterOf(explorer), await ids(explorer), await job.done()]).toEqual([
      `At ge ${from} and At lt ${until}`,
      found,
      "3 clicks",
    ]);
    // The form shows the days again.
    await openMenu(explorer, "At");
    expect(await page.locator('.popover input[type="date"]').nth(1).inputValue()).toBe("2024-02-29");
    await page.close();
  });

  test.each([
    ["Status", ["Open", "(null)"], "Status in ('Open',null)", [1, 4]],
    ["Status", ["Paid"], "Status eq 'Paid'", [2, 3]],
    ["Traits", ["Gift", "Fast"], "Traits has 'Gift,Fast'", [1]],
    ["Done", ["false"], "Done eq false", [2]],
  ])("by %s has boxes: %j", async (name, boxes, filter, found) => {
    const explorer = await open("#/grid/Sales");
    await openMenu(explorer, name);
    for (const box of boxes) await explorer.page.locator(`.popover label:has-text("${box}")`).first().click();
    await explorer.page.locator('.popover button:has-text("Show")').click();
    await explorer.settle();
    const shown = String(await filterOf(explorer)).replace(/Sales\.(?:Status|Traits)'/u, "'");
    expect([shown, await ids(explorer)]).toEqual([filter, found]);
    await openMenu(explorer, name);
    const checked = `[...document.querySelectorAll(".popover input:checked")].map((box) => box.parentElement.innerText.trim())`;
    expect(await explorer.page.evaluate(checked)).toEqual(boxes);
    expect(explorer.complaints).toEqual([]);
    await explorer.page.close();
  });

  test.each([
    ["Text", "straSSe 'a", "contains(tolower(Text),'strasse ''a')", []],
    ["Text", "Straße 'A", "contains(tolower(Text),'straße ''a')", [1]],
    ["Price", "20.50", "Price eq 20.50", [2, 3]],
    ["Units", "9007199254740993", "Units eq 9007199254740993", [1]],
    ["Weight", "1.5", "Weight eq 1.5", [1]],
    ["Time", "08:00", "Time eq 08:00", [1]],
    ["Took", "pt1h", "Took eq duration'PT1H'", [1]],
    ["Guid", "01234567-89ab-cdef-0123-456789abcdef", "Guid eq 01234567-89ab-cdef-0123-456789abcdef", [1]],
    ["CustomerId", "1", "CustomerId eq 1", [1]],
  ])("by %s takes a typed value: %s", async (name, typed, filter, found) => {
    const explorer = await open("#/grid/Sales");
    await openMenu(explorer, name);
    await explorer.page.keyboard.type(typed);
    await explorer.page.keyboard.press("Enter");
    await explorer.settle();
    expect([await filterOf(explorer), found.length === 0 ? [] : await ids(explorer)]).toEqual([filter, found]);
    expect(explorer.complaints).toEqual([]);
    await explorer.page.close();
  });

  test("by a foreign key takes a part of a label", async () => {
    const explorer = await open("#/grid/Sales");
    await openMenu(explorer, "CustomerId");
    await explorer.page.keyboard.type("lee");
    await explorer.page.keyboard.press("Enter");
    // The service has its time to answer.
    const chosen = `new Promise((resolve) => {
      const look = () => (/^\\d+$/.test(document.activeElement.value) ? resolve() : setTimeout(look, 20));
      look();
    })`;
    await explorer.page.evaluate(chosen);
    await explorer.page.keyboard.press("Enter");
    await explorer.settle();
    expect(await filterOf(explorer)).toMatch(/^CustomerId eq \d+$/u);
    expect(explorer.complaints).toEqual([]);
    await explorer.page.close();
  });

  test("a box says what is in the column, of the chosen rows, and a click filters", async () => {
    const explorer = await open("#/grid/Sales?$filter=Id gt @least&@least=0");
    const { page, requests, settle } = explorer;
    const bars = (name: string): Promise<readonly string[]> =>
      page.locator(`[aria-label="${name}"] li`).allInnerTexts();
    const job = await Job.begin(explorer);
    requests.splice(0);
    await job.click('th button[aria-label="Filter by Price"]');
    expect(requests.length).toBe(2);
    expect(await page.locator(".popover-body > p").innerText()).toBe(
      "4 rows · 1 null (25%) · 2 different values · from 10.00 to 20.50",
    );
    expect((await bars("Most frequent values")).map((text) => text.split(/\s+/u))).toEqual([
      ["20.50", "2"],
      ["null", "1"],
      ["10.00", "1"],
    ]);
    await job.click('[aria-label="Most frequent values"] button');
    expect([await filterOf(explorer), await ids(explorer), await job.done()]).toEqual([
      "Id gt @least and Price eq 20.50",
      [2, 3],
      "2 clicks",
    ]);
    // Labels of foreign keys, null, NaN, and a property whose name is that of a total.
    await explorer.show("#/grid/Sales");
    await openMenu(explorer, "CustomerId");
    expect((await bars("Most frequent values"))[0]).toMatch(/^2 Zoë O'Hara\s+3$/u);
    await page.keyboard.press("Escape");
    await settle();
    for (const name of ["SummaryRows", "Weight", "Traits", "Guid", "At", "Took", "Time", "Done", "Text"]) {
      await openMenu(explorer, name);
      expect([name, await page.locator(".popover-body > p").innerText()]).toEqual([
        name,
        expect.stringMatching(/^4 rows · \d null/u),
      ]);
      await page.keyboard.press("Escape");
      await settle();
    }
    await openMenu(explorer, "Price");
    await page.locator('[aria-label="Most frequent values"] button:has-text("null")').click();
    await settle();
    expect([await filterOf(explorer), await ids(explorer)]).toEqual(["Price eq null", [4]]);
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });

  test("a box says where nothing can be told, and offers no filter that the set refuses", async () => {
    const explorer = await open("#/grid/Unsorted");
    const { page, requests } = explorer;
    requests.splice(0);
    await openMenu(explorer, "Name");
    expect([requests, await page.locator(".popover-body > p").count()]).toEqual([[], 1]);
    await explorer.show("#/grid/Unfiltered");
    await page.locator('th button[aria-label="Values of Name"]').click();
    await explorer.settle();
    expect([await page.locator(".popover form").count(), await page.locator(".popover-body > p").count()]).toEqual([
      0, 1,
    ]);
    await explorer.show("#/grid/Secrets");
    expect(await page.locator('th button[aria-label="Filter by Name"]').count()).toBe(0);
    expect(explorer.complaints).toEqual([]);
    await page.close();
  });
});
