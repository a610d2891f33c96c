import { describe, expect, test } from "vitest";
import { findBrowser, type Page } from "../browser.ts";
import { manySets } from "./many-sets.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** Counts the XML documents that the page parses. */
const COUNT = `
globalThis.parsed = 0;
const parse = DOMParser.prototype.parseFromString;
DOMParser.prototype.parseFromString = function (...given) {
  globalThis.parsed += 1;
  return parse.apply(this, given);
};`;

describe.skipIf(program === undefined)("Home of 300 sets", () => {
  const { routes, open } = servedExplorers(program);
  const described = async (page: Page): Promise<number> => page.locator(".card > p:not(:empty)").count();

  test("reads the types of the cards that are in view", async () => {
    const { page, settle, complaints } = await open(manySets(300, { routes: routes() }), "/odata", "#/home");
    await page.addInitScript({ content: COUNT });
    await page.reload();
    await settle();
    await page.locator(".card > p:not(:empty)").first().waitFor();
    expect(await page.locator(".card a").count()).toBe(300);
    const [before, parsed] = [await described(page), Number(await page.evaluate("parsed"))];
    expect(before).toBeLessThan(100);
    // The document without its parts; then a set and its type for each card.
    expect(parsed).toBeLessThanOrEqual(1 + 2 * before);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.locator(".card:last-child > p:not(:empty)").waitFor();
    expect(await page.locator(".card:last-child > p").innerText()).toBe("Id, FirstId, LastId, Column0, Column1 …");
    expect(await described(page)).toBeLessThan(200);
    expect([await axeFindings(page), complaints]).toEqual([[], []]);
  });
});
