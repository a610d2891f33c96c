import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { worldService } from "../../../examples/world/service.ts";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { hostileService } from "./hostile-service.ts";
import { explorerFolder, openWorldCopy, startThreads } from "./made-once.ts";
import { LOOKS, axeFindings, openExplorer, type Explorer } from "./open-explorer.ts";
import { HOSTILE_VISITS, WORLD_VISITS } from "./visits.ts";

const program = findBrowser();

/** The facts that hold for every view of every screen. */
const FACTS = `({
  headings: document.querySelectorAll("h1").length,
  focus: document.activeElement?.tagName,
  title: document.title.length > 0 && document.title.length < 400,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
})`;

/** Widths and colours; the rules of axe for the first are all. */
const LOOKED_AT = [
  { width: 1280, colorScheme: "light", rules: undefined },
  { width: 1280, colorScheme: "dark", rules: ["color-contrast"] },
  { width: 320, colorScheme: "dark", rules: LOOKS },
] as const;

describe.skipIf(program === undefined)("every screen of the explorer", async () => {
  const db = await openWorldCopy();
  let server: RunningServer;
  let browser: Browser;

  beforeAll(async () => {
    const routes = [explorerRoute({ folder: await explorerFolder() })];
    const world = worldService(db, true, routes);
    await startThreads(world);
    server = await serve([world, hostileService({ routes, sets: 600 })], { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  test("a chart has a table with the exact values on demand", async () => {
    const { page } = await openExplorer(browser, `${server.url}/odata`, "#/chart/Trips?x=StartsOn&y=Budget&rows=each");
    const shown = `[...document.querySelectorAll("figure td span")].map(({ title, textContent }) => [textContent, title])`;
    expect(await page.evaluate(shown)).toEqual([
      ["1 May 2026", "2026-05-01"],
      ["1,200.50", "1200.50"],
    ]);
    await page.close();
  });

  test("a statement can be copied with its values, and is shown as the service sent it on demand", async () => {
    const { page } = await openExplorer(browser, `${server.url}/odata`, "#/cost/Trips?$filter=Id eq 1");
    const kept = `Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => (window.copied = text) } })`;
    await page.evaluate(kept);
    await page.locator('button:has-text("Copy SQL")').first().click();
    const copied = String(await page.evaluate("window.copied"));
    expect(copied).toMatch(/^select .* = 1[^0-9]/s);
    expect(copied).not.toMatch(/odata_|json|\?/);
    await page.locator("summary").first().click();
    expect(await page.locator("details[open] pre").first().innerText()).toContain("?");
    await page.close();
  });

  test("a record shows the label of a property only if it is another text than its name", async () => {
    const { page } = await openExplorer(browser, `${server.url}/odata`, "#/record/Trips(1)");
    const notes = await page.locator(".property-note").allInnerTexts();
    expect([notes.includes("First day"), notes.includes("Title")]).toEqual([true, false]);
    await page.close();
  });

  describe.each([
    ["world", "/odata", WORLD_VISITS],
    ["hostile", "/hostile", HOSTILE_VISITS],
  ])("%s", (_name, prefix, visits) => {
    let explorer: Explorer;
    beforeAll(async () => {
      explorer = await openExplorer(browser, `${server.url}${prefix}`, "#/relations");
    });
    afterAll(() => explorer.page.close());

    test.each([...visits])("$name", async ({ fragment, refused }) => {
      const { page, complaints, show, settle } = explorer;
      await show("#/operation/none");
      await show(fragment);
      const seen: unknown[] = [];
      for (const { width, colorScheme, rules } of LOOKED_AT) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await settle();
        const facts = (await page.evaluate(FACTS)) as object;
        seen.push({ width, colorScheme, ...facts, found: await axeFindings(page, rules) });
      }
      expect(seen).toEqual(
        LOOKED_AT.map(({ width, colorScheme }) => ({
          width,
          colorScheme,
          headings: 1,
          focus: "H1",
          title: true,
          overflow: 0,
          found: [],
        })),
      );
      const others = complaints.splice(0).filter((text) => refused === null || !text.includes(`status of ${refused}`));
      expect(others).toEqual([]);
    });
  });
});
