import { describe, expect, test } from "vitest";
import { findBrowser, type Page } from "../browser.ts";
import { manySets } from "./many-sets.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** Counts the XML documents that the page parses, the most cards and rows that a task makes, and workers. */
const COUNT = `
globalThis.parsed = 0;
globalThis.most = 0;
globalThis.workers = 0;
new MutationObserver((records) => {
  const made = records.flatMap(({ addedNodes }) => [...addedNodes]);
  const isMany = (node) => node.matches?.(".card, tr, .set-box, .relation") === true;
  const count = made.reduce((sum, node) => sum + isMany(node) + (node.querySelectorAll?.(".card, tr, .set-box, .relation").length ?? 0), 0);
  globalThis.most = Math.max(globalThis.most, count);
}).observe(document, { childList: true, subtree: true });
const OwnWorker = Worker;
globalThis.Worker = class extends OwnWorker {
  constructor(...given) {
    super(...given);
    globalThis.workers += 1;
  }
};
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
    // Cards come in further tasks meanwhile.
    const [before = 0, parsed] = (await page.evaluate(
      `[document.querySelectorAll(".card > p:not(:empty)").length, parsed]`,
    )) as readonly number[];
    expect(before).toBeLessThan(100);
    // The document without its parts; then a set and its type for each card.
    expect(parsed).toBeLessThanOrEqual(1 + 2 * before);
    expect(await page.evaluate("most")).toBeLessThanOrEqual(50);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.locator(".card:last-child > p:not(:empty)").waitFor();
    expect(await page.locator(".card:last-child > p").innerText()).toBe("Id, FirstId, LastId, Column0, Column1 …");
    expect(await described(page)).toBeLessThan(200);
    expect([await axeFindings(page), complaints]).toEqual([[], []]);
  });

  test("has a diagram whose places a worker finds, and whose parts come in short tasks", async () => {
    const { page, settle, complaints } = await open(manySets(300, { routes: routes() }), "/odata", "#/home");
    await page.addInitScript({ content: COUNT });
    await page.evaluate("location.hash = '#/relations'");
    await page.reload();
    await page.locator(".diagram-frame").waitFor();
    await settle();
    const counts = [".set-box", ".relation", ".relations-list tbody tr"].map((name) => page.locator(name).count());
    // Of the set with the most neighbours: the relations among these are left out.
    expect(await Promise.all(counts)).toEqual([300, 299, 299]);
    const [most, workers] = (await page.evaluate("[most, workers]")) as readonly number[];
    expect(most).toBeLessThanOrEqual(130);
    expect([workers, complaints]).toEqual([1, []]);
  });
});
