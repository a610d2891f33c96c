import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { SIGNS } from "./hostile-service.ts";
import { axeFindings } from "./open-explorer.ts";
import { hostileExplorer } from "./served-explorers.ts";
import { HOSTILE_VISITS } from "./visits.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("what surrounds the screens of the explorer", () => {
  const opened = hostileExplorer(program);

  test("a dialog closes when the reader goes to another view", async () => {
    const { page, show, settle, complaints } = opened();
    await show("#/grid/Texts");
    for (const leave of ["location.hash = '#/grid/Wides'", "history.back()"]) {
      await page.locator('button:has-text("Copy as")').click();
      await page.locator("dialog[open]").waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.evaluate(leave);
      await settle();
      expect(await page.locator("dialog").count()).toBe(0);
    }
    expect(complaints).toEqual([]);
  });

  test("a screen gets the focus at its heading, also one that was shown before", async () => {
    const { page, show, settle } = opened();
    await show("#/home");
    for (const name of ["Relations", "Home", "Operations", "Home"]) {
      await page.locator(`header nav a:has-text("${name}")`).click();
      await settle();
      expect([name, await page.evaluate("document.activeElement.tagName")]).toEqual([name, "H1"]);
    }
  });

  test("a search says that it found nothing", async () => {
    const { page, settle } = opened();
    await page.locator("header .search input").fill("<b>zzz");
    await page.locator("header .search input").press("Enter");
    await settle();
    expect(await page.locator("h1").innerText()).toBe("Search: <b>zzz");
    expect([await page.locator("main section").count(), await page.locator("main .empty").count()]).toEqual([0, 1]);
  });

  test("the breadcrumb shows keys as they are", async () => {
    const { page, show, settle } = opened();
    await show(HOSTILE_VISITS.find(({ name }) => name === "record of odd texts")?.fragment ?? "");
    const crumbs = page.locator(".crumbs li");
    expect(await crumbs.allInnerTexts()).toEqual(["Home", "Texts", `('${SIGNS.replaceAll("'", "''")}')`]);
    await page.locator(".crumbs a").nth(1).click();
    await settle();
    expect(await page.evaluate("location.hash")).toBe("#/grid/Texts");
  });
});
