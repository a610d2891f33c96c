import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { notesService } from "./notes-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** Screens whose code is loaded as they are shown. */
const LAZY = [
  ["Chart", "#/chart/Notes", "chart"],
  ["Query", "#/query/Notes", "query"],
  ["Cost", "#/cost/Notes", "cost"],
  ["Relations", "#/relations", "relations"],
] as const;

describe.skipIf(program === undefined)("the code of a screen", () => {
  const { routes, open } = servedExplorers(program);
  const openNotes = () => open(notesService({ routes: routes() }, null).service, "/notes", "#/home");

  test.each(LAZY)("is loaded with %s, once", async (title, at, file) => {
    const { page, show, requests, complaints } = await openNotes();
    const loaded = (): number => requests.filter((each) => each.includes(`/explorer/${file}-`)).length;
    expect(loaded()).toBe(0);
    await show(at);
    expect([await page.locator("h1").allInnerTexts(), loaded()]).toEqual([[title], 1]);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    await show("#/home");
    await show(at);
    expect([await page.locator("h1").allInnerTexts(), loaded(), complaints]).toEqual([[title], 1, []]);
  });

  test.each(LAZY)("that is missing offers to load the page again: %s", async (title, at) => {
    const { page, show, settle } = await openNotes();
    await page.context().setOffline(true);
    await show(at);
    expect(await page.locator("h1").allInnerTexts()).toEqual([title]);
    await page.locator("main [role=alert]").waitFor();
    await page.context().setOffline(false);
    await page.locator("main [role=alert] button").click();
    await page.locator("main:not(:has([role=alert])) h1").waitFor();
    await settle();
    expect(await page.locator("h1").allInnerTexts()).toEqual([title]);
  });
});
