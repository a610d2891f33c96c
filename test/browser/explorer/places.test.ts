import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { arraySource, authenticated, edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { toExpressHandler } from "odatakit/express";
import { serve, toNodeHandler, type RunningServer } from "odatakit/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, processorSeconds, type Browser } from "../browser.ts";
import { explorerFolder } from "./made-once.ts";
import { openExplorer } from "./open-explorer.ts";

const program = findBrowser();

const Order = entityType("Order", {
  id: edm.int32().key(),
  ownerId: edm.string(),
  total: edm.decimal({ precision: 20, scale: 2 }),
});
const ROWS = [
  { id: 1, ownerId: "ann", total: "12345678901234567.89" },
  { id: 2, ownerId: "bob", total: "1" },
];

describe.skipIf(program === undefined)("the explorer wherever its service is", () => {
  let browser: Browser;
  let folder: string;
  const closes: (() => unknown)[] = [];

  beforeAll(async () => {
    folder = await explorerFolder();
    browser = await openBrowser(program ?? "");
  });
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });
  afterAll(() => browser.close());

  const orders = (options: Partial<ServiceOptions> = {}) =>
    odataService({
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      entitySets: [
        entitySet(Order, { queryable: () => arraySource(Order, ROWS), getByKey: (id) => ROWS[id - 1] ?? null }),
      ],
      routes: [explorerRoute({ folder })],
      defaults: { maxTop: 1 },
      ...options,
    });
  const listen = async (server: Server): Promise<string> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closes.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  };
  const serveAll = async (services: Parameters<typeof serve>[0]): Promise<RunningServer> => {
    const server = await serve(services, { port: 0, host: "127.0.0.1" });
    closes.push(() => server.close());
    return server;
  };
  /** Passes requests below a prefix on to a server, without the prefix. */
  const proxyOf = (target: string, prefix: string): Promise<string> =>
    listen(
      createServer((received, response) => {
        const path = received.url?.startsWith(prefix) === true ? received.url.slice(prefix.length) : "/none";
        const passed = request(`${target}${path}`, { method: received.method, headers: received.headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        received.pipe(passed);
      }),
    );

  test.for([
    ["((", "(".repeat(100_000)],
    ["a(a(", "a(".repeat(50_000)],
    ["'", "Orders(".repeat(10_000) + "'"],
    [
      "1000 conditions",
      `Orders?$filter=${Array.from({ length: 1000 }, (_, at) => `Id eq ${String(at)}`).join(" and ")}`,
    ],
    ["5000 levels", `Orders?$expand=${"a($expand=".repeat(5000)}a${")".repeat(5000)}`],
    ["a long path", `Orders?$select=${"a/".repeat(20_000)}a`],
    ["blanks", `Orders?$filter=${" ".repeat(100_000)}x`],
  ])("shows what a long link leads to: %s", async ([, place = ""]) => {
    const { url } = await serveAll(orders());
    const { page, complaints } = await openExplorer(browser, url, `#/grid/${place}`);
    expect(await page.locator("h1").count()).toBe(1);
    await page.evaluate(`location.hash = location.hash.replace("grid", "query")`);
    await page.locator("h1:has-text('Query')").waitFor();
    expect(await processorSeconds(page)).toBeLessThan(15);
    expect(complaints.filter((text) => !/\b4\d\d\b/u.test(text))).toEqual([]);
    await page.close();
  });

  /** Where a service is, and its root. A new host is one more row. */
  const PLACES: Readonly<Record<string, () => Promise<string>>> = {
    "at the root": async () => (await serveAll(orders())).url,
    "below a prefix of two segments": async () => `${(await serveAll(orders({ prefix: "/a/b" }))).url}/a/b`,
    "mounted below a path": async () => {
      const app = express();
      app.use("/mounted/here", toExpressHandler(orders({ prefix: "/odata" })));
      return `${await listen(createServer(app))}/mounted/here/odata`;
    },
    "in a handler of Node.js": async () => `${await listen(createServer(toNodeHandler(orders({ prefix: "/o" }))))}/o`,
    "behind a proxy that adds a prefix": async () =>
      `${await proxyOf((await serveAll(orders({ prefix: "/odata" }))).url, "/tenant%20a")}/tenant%20a/odata`,
    "beside another service": async () =>
      `${(await serveAll([orders({ name: "old" }), orders({ name: "new" })])).url}/new`,
    "with the profile of the standard": async () => (await serveAll(orders({ profile: "standard" }))).url,
    "with camelCase": async () => (await serveAll(orders({ propertyNaming: "camelCase" }))).url,
    "with names as declared": async () => (await serveAll(orders({ propertyNaming: "asDeclared" }))).url,
  };

  test.each(Object.keys(PLACES))("%s", async (name) => {
    const root = (await PLACES[name]?.()) ?? "";
    const { page, complaints, requests, settle } = await openExplorer(browser, root);
    for (const slash of ["", "/"]) {
      await page.goto(`${root}/explorer${slash}#/record/Orders(1)`);
      await settle();
      expect(await page.locator(".properties").innerText()).toMatch(/12345678901234567\.89/u);
    }
    // Two pages of one row: the second comes by the next link.
    await page.evaluate("location.hash = '#/grid/Orders'");
    await settle();
    expect(await page.locator("tr[aria-rowindex='3']").innerText()).toContain("bob");
    await page.evaluate("location.hash = '#/home'");
    await settle();
    expect(await page.locator(".card a").allInnerTexts()).toEqual(["Orders"]);
    expect(requests.filter((each) => each.includes("://"))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each(["", "/a/b"])("saves the connection files of the service below %j", async (prefix) => {
    const root = (await serveAll(orders({ prefix }))).url + prefix;
    const { page } = await openExplorer(browser, root, "#/grid/Orders");
    await page.evaluate("URL.createObjectURL = (file) => { globalThis.saved = file.text(); return '#'; }");
    await page.locator('button:has-text("Copy as")').click();
    for (const ending of ["odc", "pbids"]) {
      await page.locator(`dialog button:has-text(".${ending}")`).click();
      await expect
        .poll(() => page.evaluate("globalThis.saved"))
        .toBe(await (await fetch(`${root}/service.${ending}`)).text());
    }
    await page.close();
  });

  test("shows the rows that the user may see", async () => {
    const users = new Map([["k-ann", { id: "ann" }]]);
    const { url } = await serveAll(
      orders({
        routes: [explorerRoute({ folder, signIn: { kind: "key" } })],
        authenticate: ({ headers }) => users.get(headers.get("x-api-key") ?? "") ?? null,
        challenge: 'ApiKey header="X-Api-Key"',
        authorization: authenticated(),
        entitySets: [
          entitySet(Order, {
            queryable: () => arraySource(Order, ROWS),
            getByKey: (id) => ROWS[id - 1] ?? null,
            authorization: { rows: (user, order) => order.ownerId.eq(user.id ?? "") },
          }),
        ],
      }),
    );
    const { page, show, settle } = await openExplorer(browser, url, "#/record/Orders(1)");
    await page.locator("input").fill("k-ann");
    await page.locator("input").press("Enter");
    await settle();
    expect(await page.locator(".properties").innerText()).toContain("ann");
    await show("#/record/Orders(2)");
    expect(await page.locator("[role=alert]").innerText()).toContain("There is nothing here");
    await show("#/home");
    // The number of hidden rows is a secret.
    expect(await page.locator(".card").innerText()).not.toContain("row");
    await page.close();
  });
});
