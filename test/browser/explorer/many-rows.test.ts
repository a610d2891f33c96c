import { randomUUID } from "node:crypto";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { explorerFolder } from "./made-once.ts";
import { openExplorer } from "./open-explorer.ts";

const program = findBrowser();
const ROWS = 2_000_000;
const Row = entityType("Row", { id: edm.int32().key(), name: edm.string() });

describe.skipIf(program === undefined)("a table of two million rows", async () => {
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect(":memory:") });
  await sql`create table rows (id integer primary key, name text not null)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
    insert into rows select i, 'Row ' || i from n`.execute(db);
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await explorerFolder();
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await db.destroy();
  });

  /** Each service has its own secrets, so that it knows no next link of another. */
  const service = (annotations: Readonly<Record<string, boolean>> = {}): ODataService =>
    odataService({
      prefix: "/odata",
      secret: randomUUID(),
      defaults: { maxTop: 5000, maxPageSize: 1000 },
      routes: [explorerRoute({ folder })],
      entitySets: [
        sqlEntitySet(Row, {
          db,
          table: "rows",
          operations: ["read"],
          paging: "keyset",
          annotations,
        }),
      ],
    });

  test("has a last row, which keys, a number and the scrollbar reach", async () => {
    const server = await serve(service(), { port: 0 });
    const { page, complaints, settle, show } = await openExplorer(browser, `${server.url}/odata`, "#/grid/Rows");
    const visible = (): Promise<unknown> =>
      page.evaluate(`(() => {
        const box = document.querySelector(".grid-box").getBoundingClientRect();
        const rows = [...document.querySelectorAll(".grid tbody tr[aria-rowindex]")].filter((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top >= box.top + 39 && bottom <= box.bottom + 1;
        });
        return [rows[0], rows.at(-1)].map((row) => row.cells[1].textContent);
      })()`);
    await page.locator(".grid").press("End");
    await settle();
    expect(await visible()).toEqual([expect.stringMatching(/^Row 19999\d\d$/u), "Row 2000000"]);
    await page.locator(".grid").press("ArrowUp");
    await page.locator(".grid").press("PageUp");
    await page.locator(".grid").press("PageUp");
    await settle();
    const [first = "", last = ""] = (await visible()) as readonly string[];
    const count = Number(last.slice(4)) - Number(first.slice(4));
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(30);
    await show("#/grid/Rows?row=1234567");
    expect(await visible()).toEqual(["Row 1234567", expect.stringMatching(/^Row 12345\d\d$/u)]);
    await page.evaluate(
      `document.querySelector(".grid-box").dispatchEvent(new WheelEvent("wheel", { deltaY: 36, bubbles: true, cancelable: true }))`,
    );
    await settle();
    expect(await visible()).toEqual(["Row 1234568", expect.anything()]);
    await page.evaluate(`document.querySelector(".grid-box").scrollTop = 4_000_000`);
    await settle();
    expect(await visible()).toEqual(["Row 1000001", expect.anything()]);
    await page.locator(".grid").press("Home");
    await settle();
    expect(await visible()).toEqual(["Row 1", expect.anything()]);
    expect(complaints).toEqual([]);
    await page.close();
    await server.close();
  });

  test.for([
    ["", {}],
    ["?$top=5000&row=980", {}],
    ["", { "Capabilities.SkipSupported": false }],
    ["?$top=5000&row=980", { "Capabilities.SkipSupported": false }],
  ] as const)("goes on where a restart has ended its next links: %s %o", async ([options, annotations]) => {
    const server = await serve(service(annotations), { port: 0 });
    const { port } = new URL(server.url);
    const fragment = `#/grid/Rows${options}`;
    const { page, complaints, requests, settle } = await openExplorer(browser, `${server.url}/odata`, fragment);
    await server.close();
    const restarted = await serve(service(annotations), { port: Number(port) });
    for (let at = 0; at < 20; at += 1) await page.locator(".grid").press("PageDown");
    await settle();
    const shown = await page.locator(".grid tbody tr[aria-rowindex]").allInnerTexts();
    const numbers = shown.map((text) => Number(/Row (\d+)/u.exec(text)?.[1]));
    expect(numbers[0]).toBeGreaterThan(100);
    expect(numbers).toEqual(numbers.map((_each, at) => (numbers[0] ?? 0) + at));
    expect(requests.some((each) => each.includes("$skiptoken"))).toBe(true);
    const isSkipped = (each: string): boolean => decodeURIComponent(each).includes("$skip=");
    expect(requests.some(isSkipped)).toBe(!("Capabilities.SkipSupported" in annotations));
    expect(await page.locator("[role=alert]").count()).toBe(0);
    // The browser itself reports the refused links.
    expect(complaints.filter((each) => !/40\d|410/u.test(each))).toEqual([]);
    await page.close();
    await restarted.close();
  });
});
