import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { worldService } from "../../../examples/world/service.ts";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { explorerFolder, openWorldCopy, startThreads } from "./made-once.ts";
import { openExplorer } from "./open-explorer.ts";

const program = findBrowser();

/** Counts the rows that each frame adds to the page, from now on. */
const COUNT_WORK = `
globalThis.work = { most: 0, now: 0 };
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) work.now += [...addedNodes].filter((node) => node.nodeName === "TR").length;
}).observe(document.body, { childList: true, subtree: true });
const frame = () => { work.most = Math.max(work.most, work.now); work.now = 0; requestAnimationFrame(frame); };
requestAnimationFrame(frame);
`;

/** Drags through everything. The pauses of the page end after it: a slow frame is not a pause of the reader. */
const DRAG = `(async () => {
  const box = document.querySelector(".grid-box");
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const held = new Map();
  const moved = new Map();
  let last = 0;
  globalThis.setTimeout = (run, pause = 0) => {
    if (pause < 100) return set(run, pause);
    last -= 1;
    held.set(last, () => set(run, pause));
    return last;
  };
  globalThis.clearTimeout = (id) => held.delete(id) || clear(moved.get(id) ?? id);
  for (let step = 1; step <= 30; step += 1) {
    box.scrollTop = (box.scrollHeight * step) / 40;
    await new Promise(requestAnimationFrame);
  }
  globalThis.setTimeout = set;
  for (const [id, start] of held) moved.set(id, start());
  held.clear();
})()`;

describe.skipIf(program === undefined)("135,000 rows", async () => {
  const db = await openWorldCopy();
  let server: RunningServer;
  let browser: Browser;
  beforeAll(async () => {
    const world = worldService(db, false, [explorerRoute({ folder: await explorerFolder() })]);
    await startThreads(world);
    server = await serve(world, { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });

  test("have few nodes, and are read by next links page by page, and by `$skip` elsewhere", async () => {
    const { page, complaints, requests, settle } = await openExplorer(browser, `${server.url}/odata`, "#/grid/Cities");
    const asked = (): readonly string[] =>
      requests.splice(0).flatMap((each) => (each.startsWith("GET /Cities") ? [decodeURIComponent(each)] : []));
    const count = async (expression: string): Promise<number> => Number(await page.evaluate(expression));
    const nodes = (): Promise<number> => count(`document.querySelectorAll("*").length`);
    const first = (): Promise<number> =>
      count(
        `[...document.querySelectorAll("tr[aria-rowindex]")].map((row) => Number(row.getAttribute("aria-rowindex")))[1]`,
      );
    await page.evaluate(COUNT_WORK);
    const before = await nodes();
    expect(await count(`Number(document.querySelector("table").getAttribute("aria-rowcount"))`)).toBe(135_234);
    const opening = asked();
    expect(opening.length).toBeLessThanOrEqual(3);

    // Screen by screen: the explorer requests each page of the service once.
    let most = before;
    for (let step = 0; step < 40; step += 1) {
      await page.evaluate(`document.querySelector(".grid-box").scrollBy(0, 600)`);
      await settle();
      most = Math.max(most, await nodes());
    }
    const pages = asked();
    expect(await first()).toBeGreaterThan(400);
    expect(pages.filter((url) => !url.includes("$skiptoken="))).toEqual([]);
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.length).toBeLessThanOrEqual(8);

    // A drag through everything asks for the place where it ends.
    await page.evaluate(DRAG);
    await settle();
    const jumps = asked();
    expect(jumps.length).toBeGreaterThan(0);
    expect(jumps.length).toBeLessThanOrEqual(4);
    expect(jumps.some((url) => url.includes("$skip="))).toBe(true);
    most = Math.max(most, await nodes());

    expect(most).toBeLessThan(before + 1500);
    expect(await count("work.most")).toBeLessThan(120);
    expect(complaints).toEqual([]);
  });
});
