import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { worldService } from "../../../examples/world/service.ts";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { hostileService } from "./hostile-service.ts";
import { explorerFolder, openWorldCopy, startThreads } from "./made-once.ts";
import { openExplorer, type Explorer } from "./open-explorer.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("the grid", async () => {
  const db = await openWorldCopy();
  let server: RunningServer;
  let browser: Browser;
  let explorer: Explorer;

  beforeAll(async () => {
    const routes = [explorerRoute({ folder: await explorerFolder() })];
    const world = worldService(db, true, routes);
    await startThreads(world);
    server = await serve([world, hostileService({ routes, sets: 5 })], { port: 0 });
    browser = await openBrowser(program ?? "");
    explorer = await openExplorer(browser, `${server.url}/odata`, "#/home");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  /** Shows a view, and returns the requests that it needs. */
  const show = async (fragment: string): Promise<readonly string[]> => {
    await explorer.show("#/home");
    explorer.requests.splice(0);
    await explorer.show(fragment);
    return explorer.requests
      .splice(0)
      .map(decodeURIComponent)
      .filter((each) => each.startsWith("GET /C"));
  };
  const evaluate = (expression: string): Promise<unknown> => explorer.page.evaluate(expression);
  const hash = (): Promise<unknown> => evaluate("decodeURIComponent(location.hash)");
  const chips = (): Promise<readonly string[]> => explorer.page.locator(".grid-chip").allInnerTexts();

  test("counts the rows after the first page, and not at all if a lone page or a failure comes", async () => {
    expect(await show("#/grid/Countries")).toEqual(["GET /Countries", "GET /Countries?$count=true&$top=0"]);
    expect(await show("#/grid/Countries?$filter=Region eq 'Oceania'")).toEqual([
      "GET /Countries?$filter=Region eq 'Oceania'",
    ]);
    expect(await show("#/grid/Countries?$filter=Regon eq 'Oceania'")).toEqual([
      "GET /Countries?$filter=Regon eq 'Oceania'",
    ]);
    expect(explorer.complaints.splice(0)).toEqual([expect.stringContaining("400")]);
  });

  test("shows the row of a link once the count is known, and goes to another", async () => {
    const requests = await show("#/grid/Cities?row=100000");
    expect(requests.some((each) => each.includes("$skip=99900"))).toBe(true);
    expect(await hash()).toBe("#/grid/Cities?row=100000");
    const field = explorer.page.locator(".grid-go input");
    await field.fill("999999");
    await explorer.page.keyboard.press("Enter");
    await explorer.settle();
    expect([await hash(), await evaluate(`document.querySelector(".grid-go input").validity.valid`)]).toEqual([
      "#/grid/Cities?row=100000",
      false,
    ]);
    await field.fill("50000");
    await explorer.page.keyboard.press("Enter");
    await explorer.settle();
    expect(await hash()).toBe("#/grid/Cities?row=50000");
    expect(await evaluate(`document.querySelector('tr[aria-rowindex="50001"] a[href]') !== null`)).toBe(true);
    expect(explorer.complaints).toEqual([]);
  });

  test("titles keep their room beside their pictures", async () => {
    await show("#/grid/Cities?$orderby=Population desc,Name&$filter=Population gt 5000000");
    const titles = `[...document.querySelectorAll(".grid-title")]`;
    expect(await evaluate(`${titles}.filter((title) => title.scrollWidth > title.clientWidth).length`)).toBe(0);
  });

  test("a heading filters by its column, and chips remove what they say", async () => {
    const { page, settle } = explorer;
    await show("#/grid/Cities?$filter=Population gt @least&@least=1000000&$orderby=Name");
    expect(await chips()).toEqual(["Population is more than 1,000,000", "Sorted by Name"]);
    await evaluate(`document.querySelector("table.grid").focus()`);
    for (const key of ["ArrowRight", "f"]) await page.keyboard.press(key);
    await settle();
    // The value is missing: the form waits for it.
    const isWaiting = `document.activeElement.matches(".popover .filter-row input:invalid")`;
    await page.keyboard.press("Enter");
    await settle();
    expect([await page.locator(".popover").count(), await evaluate(isWaiting)]).toEqual([1, true]);
    await page.keyboard.type("London");
    await page.keyboard.press("Enter");
    await settle();
    expect(await evaluate("document.activeElement.tagName")).toBe("TABLE");
    expect(await chips()).toEqual([
      "Population is more than 1,000,000",
      "Name contains “london” in any case",
      "Sorted by Name",
    ]);
    await page.locator('.grid-chip a[aria-label="Remove Population is more than 1,000,000"]').click();
    await settle();
    expect(await hash()).toBe("#/grid/Cities?$filter=contains(tolower(Name),'london')&$orderby=Name");
    expect(explorer.complaints).toEqual([]);
  });

  test("a chip opens the form of its condition, and the others stay", async () => {
    const { page, settle } = explorer;
    await show("#/grid/Cities?$filter=Population gt @least and Id gt 0&@least=1000000&$orderby=Name");
    await page.locator(".grid-chip button").first().click();
    expect(await page.locator(".popover .filter-row").count()).toBe(1);
    const choices = `[...document.querySelectorAll(".popover select")].map((each) => each.selectedOptions[0].text)`;
    expect(await evaluate(choices)).toEqual(["Population", "is more than"]);
    await page.locator(".popover .filter-row input").first().fill("");
    await page.keyboard.press("Enter");
    await settle();
    // A missing value does not remove the condition.
    expect(await page.locator(".popover").count()).toBe(1);
    await page.keyboard.type("5000000");
    await page.keyboard.press("Enter");
    await settle();
    expect(await hash()).toBe("#/grid/Cities?$filter=Population gt 5000000 and Id gt 0&$orderby=Name");
    await page.locator(".grid-chip button").nth(1).click();
    await page.keyboard.press("Escape");
    await settle();
    expect(await evaluate("document.activeElement.matches('.grid-chip button')")).toBe(true);
    expect([await page.locator(".popover").count(), explorer.complaints]).toEqual([0, []]);
  });

  test("its form of the whole filter has groups, relations, and conditions as text", async () => {
    const { page, settle } = explorer;
    await show("#/grid/Cities?draft=Countries&$filter=Population mod 7 eq 1");
    expect(await chips()).toEqual(["Condition: Population mod 7 eq 1"]);
    await page.locator('.grid-tools button:has-text("Filter")').click();
    await page.locator('.popover button:has-text("Condition")').click();
    await page.locator(".popover .filter-row").nth(1).locator("input").first().fill("5");
    await page.keyboard.press("Enter");
    await settle();
    expect(await hash()).toBe("#/grid/Cities?$filter=Population mod 7 eq 1 and Id eq 5");
    await page.locator('.grid-tools button:has-text("Filter")').click();
    await page.locator(".popover .filter-row").nth(1).locator("input").first().fill("6");
    await page.keyboard.press("Enter");
    await settle();
    expect(await hash()).toBe("#/grid/Cities?$filter=Population mod 7 eq 1 and Id eq 6");
  });

  test("groups have the rows of the search, which comes back after them", async () => {
    const { page, settle } = explorer;
    await show("#/grid/Countries?$apply=search(land)/groupby((Region))");
    expect(await chips()).toEqual(["Search: land", "Grouped by Region"]);
    expect(await page.locator(".grid-foot").innerText()).toMatch(/^\d rows$/u);
    await page.locator(".grid-remove").nth(1).click();
    await settle();
    expect(await hash()).toBe("#/grid/Countries?$search=land");
  });

  test("a number of rows is no row", async () => {
    await show("#/grid/Countries/$count");
    expect(await explorer.page.locator("main").innerText()).toContain("The service has no collection at this path");
  });

  test("leads to the record if the path is that of a record", async () => {
    await show("#/grid/Countries('PT')");
    await explorer.page.locator('a:has-text("Open the record")').click();
    await explorer.settle();
    expect(await hash()).toBe("#/record/Countries('PT')");
  });

  test("says how many of the columns it shows, and leads to the others", async () => {
    const { page, requests, settle } = await openExplorer(browser, `${server.url}/hostile`, "#/grid/Wides");
    await page.locator('button:has-text("40 of 200 columns")').click();
    await page.locator('.popover label:has-text("P150")').click();
    requests.splice(0);
    await page.locator('.popover button:has-text("Show")').click();
    await settle();
    expect(await page.locator(".grid-tools").innerText()).toContain("41 of 200 columns");
    expect(requests.map(decodeURIComponent)).toContainEqual(
      expect.stringMatching(/^GET \/Wides\?\$select=Id,.*,P150$/u),
    );
    await page.close();
  });
});
