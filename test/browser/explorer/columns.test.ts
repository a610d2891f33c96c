import { edm, entitySet, entityType, odataService } from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { explorerFolder } from "./made-once.ts";
import { axeFindings, openExplorer, type Explorer } from "./open-explorer.ts";
import { openOrders, ordersService } from "./orders-service.ts";

const program = findBrowser();

const Reading = entityType("Reading", { readingId: edm.int32().key(), place: edm.string(), value: edm.double() });
const READINGS = [1, 2, 3].map((readingId) => ({ readingId, place: `Place ${readingId}`, value: readingId / 2 }));

describe.skipIf(program === undefined)("the columns of a grid", async () => {
  const db = await openOrders();
  let server: RunningServer;
  let browser: Browser;
  let explorer: Explorer;
  let root: string;

  beforeAll(async () => {
    const routes = [explorerRoute({ folder: await explorerFolder() })];
    const readings = entitySet(Reading, { name: "Readings", getAll: () => READINGS, selectEnabled: false });
    const plain = odataService({ name: "plain", prefix: "/plain", entitySets: [readings], routes });
    server = await serve([ordersService(db, { name: "orders", routes }), plain], { port: 0 });
    root = `${server.url}/odata`;
    browser = await openBrowser(program ?? "");
    explorer = await openExplorer(browser, root, "#/home");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  /** Shows a view on its own, and returns the page. */
  const show = async (fragment: string): Promise<Explorer> => {
    await explorer.show("#/home");
    await explorer.show(fragment);
    return explorer;
  };
  const hashOf = ({ page }: Explorer): Promise<unknown> => page.evaluate("decodeURIComponent(location.hash)");
  const titlesOf = ({ page }: Explorer): Promise<readonly string[]> => page.locator(".grid-title").allInnerTexts();
  const widthsOf = async ({ page }: Explorer): Promise<readonly number[]> =>
    (await page.evaluate(`[...document.querySelectorAll(".grid th")].map((th) => th.offsetWidth)`)) as number[];
  /** The columns that stay when the rows scroll to the side. */
  const stayingOf = async ({ page }: Explorer): Promise<readonly string[]> =>
    (await page.evaluate(`(async () => {
      const box = document.querySelector(".grid-box");
      const places = () => [...document.querySelectorAll(".grid th, .grid tr[aria-rowindex='2'] td")].map((cell) => cell.getBoundingClientRect().left);
      const before = places();
      box.scrollLeft = 60;
      await new Promise(requestAnimationFrame);
      const after = places();
      const titles = [...document.querySelectorAll(".grid-title")].map((title) => title.textContent);
      box.scrollLeft = 0;
      const stays = (at) => before[at] === after[at];
      return titles.filter((title, at) => stays(at) && stays(at + titles.length));
    })()`)) as string[];
  /** Opens the box of a column, and presses a button. */
  const press = async ({ page, settle }: Explorer, column: string, ...buttons: readonly string[]): Promise<void> => {
    await page.locator(`.grid-filter[aria-label$=" ${column}"]`).click();
    await settle();
    for (const button of buttons) {
      await page.locator(`.popover button:text-is("${button}")`).click();
      await settle();
    }
    if ((await page.locator(".popover").count()) > 0) await page.keyboard.press("Escape");
    await settle();
  };
  /** Drags the edge of a heading to the side. */
  const drag = async ({ page, settle }: Explorer, column: number, by: number): Promise<void> => {
    const [x, y] = (await page.evaluate(`(() => {
      const { left, top, width, height } = document.querySelectorAll(".grid-edge")[${column}].getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    })()`)) as [number, number];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by / 2, y);
    await page.mouse.move(x + by, y);
    await page.mouse.up();
    await settle();
  };

  test("move and hide by `$select`, and keep the first row and the other choices", async () => {
    const grid = await show("#/grid/Orders?row=200&$orderby=Total desc");
    const all = await titlesOf(grid);
    expect(all).toEqual(["Id", "PlacedAt", "DueOn", "PaidAt", "CustomerId", "VintageYear", "Quantity", "Total"]);
    await press(grid, "DueOn", "Hide");
    await press(grid, "Total", "Move left", "Move left", "Move right");
    const select = "Id,PlacedAt,PaidAt,CustomerId,VintageYear,Total,Quantity";
    expect(await hashOf(grid)).toBe(`#/grid/Orders?row=200&$orderby=Total desc&$select=${select}`);
    expect(await titlesOf(grid)).toEqual(select.split(","));
    expect(await grid.page.locator(".grid-tools").innerText()).toContain("7 of 8 columns");
    await grid.page.evaluate("history.back()");
    await grid.settle();
    expect((await titlesOf(grid)).at(-3)).toBe("Total");
    // In the usual order, nothing has to be said.
    await show("#/grid/Customers?$select=Name,Id");
    await press(grid, "Name", "Move right");
    expect(await hashOf(grid)).toBe("#/grid/Customers");
    expect(grid.complaints).toEqual([]);
  });

  test("are as wide as a pointer drags them, and as their content after a double click", async () => {
    const grid = await show("#/grid/Orders?$select=Id,Quantity,Total");
    const before = await widthsOf(grid);
    grid.requests.splice(0);
    await drag(grid, 1, 90);
    const after = await widthsOf(grid);
    expect(after[1]).toBeGreaterThan((before[1] ?? 0) + 80);
    expect(after[1]).toBeLessThan((before[1] ?? 0) + 100);
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(await hashOf(grid)).toMatch(/^#\/grid\/Orders\?\$select=Id,Quantity,Total&widths=Quantity:\d+$/u);
    // It sorts nothing, and is no request.
    expect(grid.requests.filter((request) => request.includes("Orders"))).toEqual([]);
    await drag(grid, 1, -900);
    expect(await hashOf(grid)).toContain("&widths=Quantity:4");
    await grid.page.locator(".grid-edge").nth(1).dblclick();
    await grid.settle();
    expect(await hashOf(grid)).toBe("#/grid/Orders?$select=Id,Quantity,Total");
    expect(await widthsOf(grid)).toEqual(before);
    expect(grid.complaints).toEqual([]);
  });

  test("are arranged with keys, and the box stays open", async () => {
    const grid = await show("#/grid/Customers");
    const { page, settle } = grid;
    const before = await widthsOf(grid);
    await page.evaluate(`document.querySelector("table.grid").focus()`);
    for (const key of ["ArrowRight", "f"]) await page.keyboard.press(key);
    await settle();
    const focus = (name: string): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll(".popover button")].find((each) => each.textContent === ${JSON.stringify(name)}).focus()`,
      );
    await focus("Wider");
    for (const key of ["Enter", "Enter", "Enter", "Tab", "Space"]) await page.keyboard.press(key);
    await settle();
    expect(await hashOf(grid)).toMatch(/^#\/grid\/Customers\?widths=Name:\d+$/u);
    expect((await widthsOf(grid))[1]).toBeGreaterThan((before[1] ?? 0) + 25);
    expect(await axeFindings(page)).toEqual([]);
    await focus("Move left");
    // The second time, there is no further place.
    for (const key of ["Enter", "Enter"]) await page.keyboard.press(key);
    await settle();
    expect(await titlesOf(grid)).toEqual(["Name", "Id"]);
    expect(await page.locator(".popover").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TABLE");
    expect(grid.complaints).toEqual([]);
  });

  test("stay up to the frozen one, and a link shares all choices", async () => {
    const viewport = { width: 900, height: 700 };
    const grid = await openExplorer(browser, root, "#/grid/Orders", { viewport });
    expect(await stayingOf(grid)).toEqual(["Id"]);
    await press(grid, "PlacedAt", "Freeze", "Wider");
    expect(await stayingOf(grid)).toEqual(["Id", "PlacedAt"]);
    const hash = await hashOf(grid);
    expect(hash).toMatch(/^#\/grid\/Orders\?frozen=2&widths=PlacedAt:\d+$/u);
    const widths = await widthsOf(grid);
    await grid.page.reload();
    await grid.settle();
    const other = await openExplorer(browser, root, String(hash), { viewport });
    for (const each of [grid, other]) {
      expect([await stayingOf(each), await widthsOf(each)]).toEqual([["Id", "PlacedAt"], widths]);
      expect(each.complaints).toEqual([]);
    }
    expect(other.requests.filter((request) => /widths|frozen/u.test(request.replace(/#.*/u, "")))).toEqual([]);
    await other.page.close();
    // A filter keeps them, and so does the order.
    await grid.page.locator(".grid-sort").nth(4).click();
    await grid.settle();
    expect(await hashOf(grid)).toBe(`${String(hash)}&$orderby=CustomerId`);
    await press(grid, "Id", "Hide");
    expect(await stayingOf(grid)).toEqual(["PlacedAt"]);
    await press(grid, "PlacedAt", "Unfreeze");
    expect(await stayingOf(grid)).toEqual([]);
    expect(await hashOf(grid)).toContain("frozen=0");
    await grid.page.close();
  });

  test("of a broken link are as without it", async () => {
    const grid = await show("#/grid/Customers");
    const before = await widthsOf(grid);
    await show("#/grid/Customers?widths=Name:x,:5,Nobody:9,,Id:-1e999&frozen=-3");
    expect(await widthsOf(grid)).toEqual([expect.any(Number), before[1]]);
    expect(await titlesOf(grid)).toEqual(["Id", "Name"]);
    expect(grid.complaints).toEqual([]);
  });

  test("of groups have an order of the page, which ends with the groups", async () => {
    const apply = "groupby((CustomerId),aggregate(Total with sum as Sum,$count as Count))";
    const grid = await show(`#/grid/Orders?$apply=${apply}`);
    await press(grid, "Count", "Move left", "Freeze");
    await press(grid, "Sum", "Hide");
    expect(await titlesOf(grid)).toEqual(["CustomerId", "Count"]);
    expect(await hashOf(grid)).toBe(`#/grid/Orders?$apply=${apply}&columns=CustomerId,Count,-Sum&frozen=2`);
    await grid.page.locator('.grid-tools button:has-text("Show all columns")').click();
    await grid.settle();
    expect(await titlesOf(grid)).toEqual(["CustomerId", "Count", "Sum"]);
    await grid.page.locator('.grid-chip a[aria-label^="Remove Grouped"]').click();
    await grid.settle();
    expect(await hashOf(grid)).toBe("#/grid/Orders");
    expect(grid.complaints).toEqual([]);
  });

  test("of relations stand before properties", async () => {
    const grid = await show("#/grid/Orders?$select=Id,Total&$expand=Customer($select=Id,Name)");
    expect(await titlesOf(grid)).toEqual(["Id", "Total", "Customer"]);
    await press(grid, "Customer", "Move left");
    expect(await titlesOf(grid)).toEqual(["Id", "Customer", "Total"]);
    expect(await grid.page.locator("tr[aria-rowindex='2'] td").nth(1).innerText()).toBe("Customer A");
    await press(grid, "Customer", "Hide");
    expect(await titlesOf(grid)).toEqual(["Id", "Total"]);
    expect(await hashOf(grid)).toBe("#/grid/Orders?$select=Id,Total");
    await show("#/grid/Customers?$select=Name&$expand=Orders($count=true;$top=0)");
    await press(grid, "Name", "Move right");
    expect(await titlesOf(grid)).toEqual(["Orders", "Name"]);
    expect(await grid.page.locator("tr[aria-rowindex='2'] td").allInnerTexts()).toEqual(["15", "Customer A"]);
    expect(grid.complaints).toEqual([]);
  });

  test("of a set without `$select` have an order of the page", async () => {
    const plain = await openExplorer(browser, `${server.url}/plain`, "#/grid/Readings");
    await press(plain, "Value", "Move left");
    await press(plain, "ReadingId", "Hide");
    expect(await titlesOf(plain)).toEqual(["Value", "Place"]);
    expect(await plain.page.locator("tr[aria-rowindex='2'] td").allInnerTexts()).toEqual(["0.5", "Place 1"]);
    expect(await hashOf(plain)).toBe("#/grid/Readings?columns=Value,Place,-ReadingId");
    expect(plain.requests.filter((request) => /select|columns=/u.test(request.replace(/#.*/u, "")))).toEqual([]);
    await plain.page.reload();
    await plain.settle();
    expect(await titlesOf(plain)).toEqual(["Value", "Place"]);
    expect(plain.complaints).toEqual([]);
    await plain.page.close();
  });

  test("of ids are as wide as their digits and their title", async () => {
    const grid = await show("#/grid/Orders?$orderby=Id,VintageYear");
    const [id = 0, year = 0] = [(await widthsOf(grid))[0], (await widthsOf(grid))[5]];
    expect(id).toBeLessThan(90);
    expect(year).toBeLessThan(170);
    const titles = `[...document.querySelectorAll(".grid-title")]`;
    expect(await grid.page.evaluate(`${titles}.filter((title) => title.scrollWidth > title.clientWidth).length`)).toBe(
      0,
    );
    const cut = `[...document.querySelectorAll(".grid td")].filter((cell) => cell.scrollWidth > cell.clientWidth).length`;
    expect(await grid.page.evaluate(cut)).toBe(0);
    // The digits end below the end of the title.
    const ends = `["th", "tbody td"].map((cell) => getComputedStyle(document.querySelector(".grid " + cell + ".number")).textAlign)`;
    expect(await grid.page.evaluate(ends)).toEqual(["end", "end"]);
  });

  test("take at most half of a narrow screen while they stay", async () => {
    const small = await openExplorer(browser, root, "#/grid/Orders?frozen=5", {
      viewport: { width: 320, height: 640 },
    });
    expect(await stayingOf(small)).toEqual(["Id"]);
    await small.show("#/grid/Orders?frozen=1&widths=Id:30");
    expect(await stayingOf(small)).toEqual([]);
    await press(small, "Id", "Narrower");
    expect(await axeFindings(small.page)).toEqual([]);
    expect(await small.page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await small.page.locator('.grid-filter[aria-label$=" Id"]').click();
    await small.settle();
    expect(await axeFindings(small.page)).toEqual([]);
    expect(small.complaints).toEqual([]);
    await small.page.close();
  });
});
