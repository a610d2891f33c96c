import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { notesService, RIGHT } from "./notes-service.ts";
import type { Explorer } from "./open-explorer.ts";
import { salesService } from "./sales-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();
const STORED = "JSON.stringify({ ...localStorage })";

describe.skipIf(program === undefined)("the views that the browser keeps", () => {
  const { routes, open } = servedExplorers(program);
  const openSales = (fragment: string) => open(salesService({ routes: routes() }), "/sales", fragment);
  const kept = ({ page }: Explorer): Promise<readonly string[]> => page.locator(".kept a").allInnerTexts();
  const reload = async ({ page, settle }: Explorer): Promise<void> => {
    await page.reload();
    await settle();
  };

  test("lead back tomorrow: the recent ones with 1 click, the saved ones by their names", async () => {
    const explorer = await openSales("#/grid/Sales?$filter=Price gt 10&row=1");
    const { page, complaints } = explorer;
    const job = await Job.begin(explorer);
    // The browser asks for the name.
    await page.evaluate("globalThis.prompt = () => ' Dear '");
    await job.click('button:has-text("Save view")');
    expect(await job.done()).toBe("1 click");
    await explorer.show("#/chart/Customers");
    await explorer.show("#/grid/Sales?$filter=Price gt 20");
    await explorer.show("#/home");
    await reload(explorer);
    expect(await kept(explorer)).toEqual(["Dear", "Sales", "Customers"]);
    expect(await page.locator(".kept .dim:not(.small)").allInnerTexts()).toEqual([
      "Price is more than 10",
      "Price is more than 20",
      "chart",
    ]);
    job.restart();
    await job.click(".kept a");
    expect([await page.evaluate("decodeURIComponent(location.hash)"), await job.done()]).toEqual([
      "#/grid/Sales?$filter=Price gt 10",
      "1 click",
    ]);
    expect(complaints).toEqual([]);
  });

  test("are forgotten one by one, and all at once", async () => {
    const explorer = await openSales("#/grid/Sales");
    const { page } = explorer;
    await explorer.show("#/grid/Customers");
    await explorer.show("#/home");
    await page.locator('button[aria-label="Forget Sales"]').click();
    expect(await kept(explorer)).toEqual(["Customers"]);
    await page.locator('button:has-text("Forget all views")').click();
    expect([await kept(explorer), await page.evaluate(STORED)]).toEqual([[], "{}"]);
  });

  test("have no rows and no credentials, and belong to a user", async () => {
    const { service } = notesService({ routes: routes({ signIn: { kind: "basic" } }) }, "basic");
    const explorer = await open(service, "/notes", "#/grid/Notes?$filter=Title ne 'x'");
    const { page, settle } = explorer;
    const signIn = async (): Promise<void> => {
      await page.locator("dialog input").nth(0).fill("Zoë");
      await page.locator("dialog input").nth(1).fill("päss");
      await page.keyboard.press("Enter");
      await settle();
    };
    await signIn();
    await explorer.show("#/home");
    expect(await kept(explorer)).toEqual(["Notes"]);
    const stored = String(await page.evaluate(STORED));
    expect(stored).toContain("Zoë");
    for (const secret of ["päss", RIGHT.basic.value.slice(6), "first", "second"]) expect(stored).not.toContain(secret);
    await page.locator('button:has-text("Sign out")').click();
    await settle();
    expect(await kept(explorer)).toEqual([]);
  });

  test.each([
    ["rubbish", "mine", "localStorage.setItem(key, '{{')"],
    [
      "another shape",
      "mine",
      "localStorage.setItem(key, JSON.stringify({ recent: 5, saved: [null, 1, { name: 1 }, { name: 'x', fragment: 'javascript:canary(1)' }] }))",
    ],
    [
      "very much",
      "x",
      "localStorage.setItem(key, JSON.stringify({ saved: Array(100000).fill({ name: 'x', fragment: '#/grid/Sales' }) }))",
    ],
    [
      "a view that is nowhere",
      "mine",
      `localStorage.setItem(key, JSON.stringify({ saved: [{ name: "<img src=x onerror=canary(1)>", fragment: "#/grid/%E0%A4?$filter=((" }] }))`,
    ],
    ["a full storage", undefined, "Storage.prototype.setItem = () => { throw new Error('full') }"],
    [
      "no storage",
      undefined,
      "Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('forbidden') } })",
    ],
  ])("do not break the page: %s", async (_name, first, script) => {
    const explorer = await openSales("#/home");
    const { page, complaints } = explorer;
    const root = String(await page.evaluate("new URL('./', location.href).href"));
    const key = JSON.stringify(`odatakit explorer ${root} `);
    await page.addInitScript({ content: `{ const key = ${key}; ${script} }` });
    await reload(explorer);
    expect(await page.locator("h1").innerText()).toBe("sales");
    expect((await kept(explorer)).length).toBeLessThanOrEqual(62);
    await explorer.show("#/grid/Sales");
    expect(await page.locator(".grid tbody tr[aria-rowindex]").count()).toBe(4);
    await page.evaluate("globalThis.prompt = () => 'mine'");
    await page.locator('button:has-text("Save view")').click();
    await explorer.settle();
    await explorer.show("#/home");
    expect((await kept(explorer))[0]).toBe(first);
    expect(complaints).toEqual([]);
  });
});
