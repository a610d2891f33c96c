import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import type { Explorer } from "./open-explorer.ts";
import { salesService } from "./sales-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("finding rows by a text", () => {
  const { routes, open } = servedExplorers(program);
  const openSales = (fragment: string) => open(salesService({ routes: routes() }), "/sales", fragment);
  const hash = ({ page }: Explorer): Promise<unknown> => page.evaluate("decodeURIComponent(location.hash)");
  const rows = ({ page }: Explorer): Promise<unknown> =>
    page.evaluate(`[...document.querySelectorAll(".grid tbody tr[aria-rowindex]")].length`);

  test("of this set takes 1 click and 6 keys, in any letter case", async () => {
    const explorer = await openSales("#/grid/Sales");
    const job = await Job.begin(explorer);
    await job.press("/");
    await job.type("NEED");
    await job.press("Enter");
    expect([await rows(explorer), await explorer.page.locator(".grid-chip").allInnerTexts()]).toEqual([
      2,
      ["Text or SummaryRows contains “need” in any case"],
    ]);
    await job.click(".grid tbody a");
    expect([await hash(explorer), await job.done()]).toEqual(["#/record/Sales(2)", "1 click, 6 keys"]);
    expect(explorer.complaints).toEqual([]);
  });

  test("of all sets takes 1 click and 6 keys, and leads to names, too", async () => {
    const explorer = await openSales("#/home");
    const { page, complaints } = explorer;
    const job = await Job.begin(explorer);
    await job.press("/");
    await job.type("need");
    await job.press("Enter");
    expect(await hash(explorer)).toBe("#/find?text=need");
    const sections = await page.locator("main section").allInnerTexts();
    // The rows of a set whose texts this user may not read are not among them.
    expect(sections.map((text) => text.split("\n")[0])).toEqual(["Sales", "Unsorted"]);
    expect(await page.locator("main").innerText()).toContain("Unfiltered");
    await job.click('main section a:has-text("Needle one")');
    expect([await hash(explorer), await job.done()]).toEqual(["#/record/Unsorted(1)", "1 click, 6 keys"]);
    await explorer.show("#/find?text=price");
    await job.click('main a:has-text("Price in Sales")');
    expect(await hash(explorer)).toBe("#/grid/Sales");
    expect(complaints.filter((text) => !text.includes("403"))).toEqual([]);
  });

  test.each([
    ["Zoë O'Hara", 1],
    ["ann lee", 1],
    ["ann o'hara", 0],
    ["ann@x.org", 1],
    ["100%", 0],
    ["(a' or '", 0],
  ])("each word of %j is in one of the texts", async (text, count) => {
    const explorer = await openSales("#/grid/Customers");
    const { page, settle } = explorer;
    await page.locator("main .search input").fill(text);
    await page.keyboard.press("Enter");
    await settle();
    expect([await rows(explorer), await page.locator("main .search input").inputValue()]).toEqual([
      count,
      text.toLowerCase(),
    ]);
    await page.locator("main .search input").fill("");
    await page.locator("main .search input").press("Enter");
    await settle();
    expect(await hash(explorer)).toBe("#/grid/Customers");
    expect(explorer.complaints).toEqual([]);
  });

  test("keeps the conditions of the reader, and the groups", async () => {
    const explorer = await openSales("#/grid/Sales?$apply=filter(Id gt 2)/groupby((Status))");
    await explorer.page.locator("main .search input").fill("need");
    await explorer.page.keyboard.press("Enter");
    await explorer.settle();
    expect(await hash(explorer)).toBe(
      "#/grid/Sales?$apply=filter(Id gt 2 and (contains(tolower(Text),'need') or contains(tolower(SummaryRows),'need')))/groupby((Status))",
    );
    expect(await rows(explorer)).toBe(1);
    await explorer.page.locator('a:has-text("In all sets")').click();
    await explorer.settle();
    expect(await hash(explorer)).toBe("#/find?text=need");
  });

  test("of a set without filters is that of all sets", async () => {
    const explorer = await openSales("#/grid/Unfiltered");
    await explorer.page.locator("main .search input").fill("need");
    await explorer.page.keyboard.press("Enter");
    await explorer.settle();
    expect(await hash(explorer)).toBe("#/find?text=need");
  });
});
