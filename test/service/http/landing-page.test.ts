import {
  authenticated,
  edm,
  entitySet,
  entityType,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";

const Thing = entityType("Thing", { id: edm.int32().key() });

function shop(more: Partial<ServiceOptions> = {}): ODataService {
  return odataService({
    name: "shop",
    prefix: "/shop",
    namespace: "Shop",
    profile: "standard",
    entitySets: [entitySet(Thing, { getAll: () => [] })],
    ...more,
  });
}

const get = (
  path: string,
  headers: Record<string, string> = {},
  more: Partial<ServiceOptions> = {},
  method = "GET",
): Promise<Response> => shop(more).fetch(new Request(`http://localhost${path}`, { headers, method }));

const CHROME =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";
const POWER_QUERY =
  "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7";

describe("the root of a service", () => {
  test.each<[string, Record<string, string>]>([
    ["Chrome", { Accept: CHROME }],
    ["Firefox", { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }],
    ["a client that ranks HTML higher", { Accept: "application/json;q=0.8, text/html;q=0.9" }],
  ])("is a page for %s, in both profiles", async (_, headers) => {
    for (const profile of ["standard", "specification"] as const) {
      const response = await get("/shop", headers, { profile });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
    }
  });

  test.each([
    ["application/json"],
    ["*/*"],
    ["application/json, text/html"],
    ["application/json, text/html;q=0.9"],
    ["text/html;q=0.5, */*"],
    ["text/html, application/*"],
    ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"],
    ["text/html, image/gif, image/jpeg, */*; q=0.2"],
    ["application/json, text/javascript, */*; q=0.01"],
    [POWER_QUERY],
  ])("is JSON for Accept: %s", async (accept) => {
    const response = await get("/shop", { Accept: accept });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("vary")).toContain("Accept");
  });

  test("is JSON with $format, and without Accept", async () => {
    expect((await get("/shop?$format=json", { Accept: CHROME })).headers.get("content-type")).toMatch(/json/);
    expect((await get("/shop")).headers.get("content-type")).toMatch(/json/);
  });

  test("is a page for a client that accepts only HTML, but 406 in the profile of the specification", async () => {
    expect((await get("/shop", { Accept: "text/html" })).status).toBe(200);
    expect((await get("/shop", { Accept: "text/html" }, { profile: "specification" })).status).toBe(406);
    expect(
      (await get("/shop", { Accept: "text/html, application/json;q=0" }, { profile: "specification" })).status,
    ).toBe(406);
  });

  test("has a page with a strict policy, without script, with links to everything", async () => {
    const response = await get("/shop", { Accept: CHROME }, { routes: [openApiRoute({ viewer: true })] });
    const page = await response.text();
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "odata-version": "4.0",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      vary: expect.stringContaining("Accept") as unknown,
    });
    expect(page).not.toMatch(/<script|javascript:|\son\w+=/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      "data:,",
      "/shop/Things",
      "/shop/$metadata",
      "/shop/openapi.json",
      "/shop/openapi",
      "/shop/service.odc",
      "/shop/service.pbids",
    ]);
    for (const [, url = ""] of page.matchAll(/href="(\/[^"]*)"/g)) {
      const linked = await get(url, { Accept: "*/*" }, { routes: [openApiRoute({ viewer: true })] });
      expect([url, linked.status]).toEqual([url, 200]);
    }
  });

  test("has no link to a set that clients cannot read", async () => {
    const entitySets = [entitySet(Thing, { create: () => ({ id: 1 }) })];
    const page = await (await get("/shop", { Accept: CHROME }, { entitySets })).text();
    expect(page).not.toContain("/shop/Things");
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "has no link to a route of the application at %s",
    async (path) => {
      const route = {
        kind: "ServiceRoute" as const,
        paths: [path],
        check: () => [],
        open: () => [{ path, contentType: "text/plain", body: new TextEncoder().encode("mine") }],
      };
      const response = await get("/shop", { Accept: CHROME }, { routes: [route] });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
      expect(await response.text()).not.toContain(`/shop/${path}"`);
      expect((await get(`/shop/${path}`, {}, { routes: [route] })).status).toBe(200);
    },
  );

  test("has a page for HEAD, and rejects query options", async () => {
    const head = await get("/shop", { Accept: CHROME }, {}, "HEAD");
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "text/html;charset=utf-8",
      "",
    ]);
    expect((await get("/shop?$top=1", { Accept: CHROME })).status).toBe(400);
  });

  test("has a page that escapes names, and works without sets and below the root", async () => {
    const page = await (
      await get("/", { Accept: CHROME }, { name: "a<b>&\"'", prefix: "", entitySets: [], connectionFiles: false })
    ).text();
    expect(page).toContain("<h1>a&lt;b&gt;&amp;&quot;&#39;</h1>");
    expect(page).not.toContain("Entity sets");
    expect([...page.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual(["data:,", "/$metadata"]);
  });

  test("needs the same user as JSON", async () => {
    const guarded = { authorization: authenticated() };
    const [page, json, file] = await Promise.all([
      get("/shop", { Accept: CHROME }, guarded),
      get("/shop", {}, guarded),
      get("/shop/service.odc", {}, guarded),
    ]);
    expect(page.status).toBe(json.status);
    expect(file.status).toBe(json.status);
  });

  test("has links that a forged host cannot change", async () => {
    const forged = new Request("http://evil.example/shop", { headers: { Accept: CHROME } });
    expect(await (await shop().fetch(forged)).text()).not.toContain("evil");
  });
});

describe("connection files", () => {
  test("of Power BI", async () => {
    const response = await get("/shop/service.pbids", { Accept: CHROME });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="shop.pbids"');
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      version: "0.1",
      connections: [
        { details: { protocol: "odata", address: { url: "http://localhost/shop" } }, options: {}, mode: "Import" },
      ],
    });
  });

  test("of Excel, with the public URL", async () => {
    const response = await get("/shop/service.odc", {}, { publicUrl: "https://shop.example/a&b" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/x-ms-odc;charset=utf-8"]);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="shop.odc"');
    const text = await response.text();
    expect(text).toContain("OData.Feed(&amp;quot;https://shop.example/a&amp;amp;b/shop&amp;quot;, null");
    expect(text).not.toContain("localhost");
  });

  test("are named by the namespace without a name, in safe characters", async () => {
    const response = await get("/service.odc", {}, { name: undefined, prefix: "", namespace: "Größe.Shop" });
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="Gr__e.Shop.odc"');
  });

  test("reject query options and writes, and can be removed", async () => {
    expect((await get("/shop/service.odc?$top=1")).status).toBe(400);
    expect((await get("/shop/service.odc?$format=xml")).status).toBe(400);
    expect((await get("/shop/service.pbids", {}, {}, "POST")).status).toBe(405);
    expect((await get("/shop/service.odc", {}, { connectionFiles: false })).status).toBe(404);
    const named = await get("/shop/sales.odc", {}, { connectionFiles: "sales" });
    expect([named.status, named.headers.get("Content-Disposition")]).toEqual([200, 'attachment; filename="sales.odc"']);
    expect((await get("/shop/service.odc", {}, { connectionFiles: "sales" })).status).toBe(404);
    for (const connectionFiles of ["a/b", "", ".."]) {
      expect(() => shop({ connectionFiles })).toThrow("The service cannot start: 1 fault in its declarations.");
    }
  });

  test("leave their path to a route of the application", async () => {
    const body = new TextEncoder().encode("mine");
    const route = {
      kind: "ServiceRoute" as const,
      paths: ["service.odc"],
      check: () => [],
      open: () => [{ path: "service.odc", contentType: "text/plain", body }],
    };
    expect(await (await get("/shop/service.odc", {}, { routes: [route] })).text()).toBe("mine");
  });
});
