import { Hono, type Context, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { authenticated, ConfigurationError, edm, entitySet, entityType, odataService } from "odatakit";
import { toHonoHandler } from "odatakit/hono";
import { describe, expect, expectTypeOf, test } from "vitest";
import { contextOf, JSON_TYPE, orderService } from "./hosts.ts";

const ORIGIN = "http://service.example";

test("the handler is a middleware of Hono", () => {
  expectTypeOf(toHonoHandler(orderService().service)).toExtend<MiddlewareHandler>();
});

const post = (body: string, headers: Record<string, string> = JSON_TYPE): RequestInit => ({
  method: "POST",
  headers,
  body,
});

describe("paths", () => {
  test.each<[string, string, string]>([
    ["*", "/odata", "/odata"],
    ["/*", "", ""],
    ["/odata/*", "/odata", "/odata"],
    ["/odata/*", "", "/odata"],
    ["/api/*", "/odata", "/api/odata"],
    ["/api/*", "/api/odata", "/api/odata"],
    ["/api/odata/*", "/odata", "/api/odata"],
    ["/:tenant/*", "/odata", "/a%20b/odata"],
  ])("at %s with the prefix %j, the service is at %s", async (path, prefix, root) => {
    const app = new Hono();
    app.all(path, toHonoHandler(orderService({ prefix }).service));
    const response = await app.request(`${ORIGIN}${root}/Orders?$top=1&$skip=1&$select=Id`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { "@odata.context": `${ORIGIN}${root}/$metadata#Orders(Id)`, value: [{ Id: 2 }] },
    ]);
    const created = await app.request(`${ORIGIN}${root}/Orders`, post('{"Id":7,"Name":"seven"}'));
    expect([created.status, created.headers.get("location")]).toEqual([201, `${ORIGIN}${root}/Orders(7)`]);
    for (const end of ["", "?$format=json"]) {
      expect(await contextOf(await app.request(`${ORIGIN}${root}${end}`))).toBe(`${ORIGIN}${root}/$metadata`);
    }
  });

  test("of applications within applications", async () => {
    const inner = new Hono().use(toHonoHandler(orderService().service));
    const app = new Hono().basePath("/v").route("/api", inner);
    expect(await contextOf(await app.request(`${ORIGIN}/v/api/odata/Orders`))).toBe(
      `${ORIGIN}/v/api/odata/$metadata#Orders`,
    );
  });

  test("next is called for paths of no service only", async () => {
    const app = new Hono().use(toHonoHandler(orderService().service));
    app.notFound((context) => context.text("host", 404));
    for (const path of ["/", "/odatas/Orders", "/ODATA", "/%6Fdata/Orders", "/x/odata/Orders"]) {
      expect(await (await app.request(ORIGIN + path)).text()).toBe("host");
    }
    const missing = await app.request(`${ORIGIN}/odata/Nowhere`);
    expect([missing.status, missing.headers.get("odata-version")]).toEqual([404, "4.0"]);
  });

  test("keys keep slashes, quotes and percent signs", async () => {
    const Named = entityType("Named", { name: edm.string().key() });
    const seen: string[] = [];
    const getByKey = (name: string) => {
      seen.push(name);
      return { name };
    };
    const app = new Hono();
    app.all("/a/b/*", toHonoHandler(odataService({ entitySets: [entitySet(Named, { getByKey })] })));
    for (const key of ["'a%2Fb'", "'it''s'", "'%27%27'", "'100%25'", "'%3F%23'"]) {
      expect((await app.request(`${ORIGIN}/a/b/Nameds(${key})`)).status, key).toBe(200);
    }
    expect(seen).toEqual(["a/b", "it's", "'", "100%", "?#"]);
  });

  test("several services", async () => {
    const services = ["v1", "v2"].map((name) => orderService({ name, prefix: `/${name}` }).service);
    const app = new Hono().use(toHonoHandler(services));
    for (const path of ["/v1", "/v2"]) {
      expect(await contextOf(await app.request(`${ORIGIN}${path}`))).toBe(`${ORIGIN}${path}/$metadata`);
    }
    expect(() => toHonoHandler([...services, ...services])).toThrow(ConfigurationError);
  });
});

describe("bodies that other middleware has read", () => {
  const BODY = '{"Id":9007199254740993,"Name":"é","Price":0.12345678901234567890}';

  test.each<[string, (context: Context) => Promise<unknown>]>([
    ["json", ({ req }) => req.json()],
    ["text", ({ req }) => req.text()],
    ["arrayBuffer", ({ req }) => req.arrayBuffer()],
    ["blob", ({ req }) => req.blob()],
  ])("by %s of Hono are exact", async (_what, read) => {
    const { service, rows } = orderService();
    const app = new Hono().use(async (context, next) => {
      await read(context);
      await next();
    });
    app.use(toHonoHandler(service));
    expect((await app.request(`${ORIGIN}/odata/Orders`, post(BODY))).status).toBe(201);
    expect(rows.at(-1)).toEqual({ id: 9007199254740993n, name: "é", price: "0.12345678901234567890" });
  });

  test("in another way are 500, and above the limit 413", async () => {
    const { service, rows } = orderService({ defaults: { maxRequestBodyBytes: 10 } });
    const app = new Hono().use(async ({ req }, next) => {
      await (req.header("x-raw") === undefined ? req.text() : req.raw.text());
      await next();
    });
    app.use(toHonoHandler(service));
    expect((await app.request(`${ORIGIN}/odata/Orders`, post(BODY))).status).toBe(413);
    expect((await app.request(`${ORIGIN}/odata/Orders`, post("{}", { ...JSON_TYPE, "X-Raw": "1" }))).status).toBe(500);
    expect(rows).toHaveLength(3);
  });
});

describe("the host", () => {
  test("authenticate and handlers see its context", async () => {
    const { service, contexts } = orderService({
      authenticate: ({ host }) => (host as Context<{ Variables: { user?: { id: string } } }>).get("user") ?? null,
      authorization: authenticated(),
    });
    const app = new Hono<{ Variables: { user: { id: string } } }>();
    app.use(async (context, next) => {
      const id = context.req.header("x-user");
      if (id !== undefined) context.set("user", { id });
      await next();
    });
    app.all("/api/*", toHonoHandler(service));
    expect((await app.request(`${ORIGIN}/api/odata/Orders`)).status).toBe(401);
    expect((await app.request(`${ORIGIN}/api/odata/Orders`, { headers: { "X-User": "ann" } })).status).toBe(200);
    expect(contexts.map(({ user, host }) => [user?.id, (host as Context).req.path])).toEqual([
      ["ann", "/api/odata/Orders"],
    ]);
  });

  test("its headers and cookies survive, before and after, and Vary names the headers of both", async () => {
    const app = new Hono();
    app.use(cors({ origin: ["https://app.example"], exposeHeaders: ["ETag"] }));
    app.use(async (context, next) => {
      context.header("Set-Cookie", "a=1", { append: true });
      context.header("Set-Cookie", "b=2", { append: true });
      context.header("Vary", "X-Tenant", { append: true });
      context.header("Cache-Control", "public");
      await next();
      context.header("X-After", "1");
    });
    app.use(toHonoHandler(orderService({ authenticate: () => ({ id: "ann" }) }).service));
    const init = { headers: { Origin: "https://app.example" } };
    const { headers } = await app.request(`${ORIGIN}/odata/Orders`, init);
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    const vary = headers.get("vary")?.split(", ") ?? [];
    expect(vary).toEqual(expect.arrayContaining(["X-Tenant", "Accept", "Authorization"]));
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-after")).toBe("1");
    expect(headers.get("content-type")).toBe("application/json;odata.metadata=minimal");
  });

  test("its compression compresses", async () => {
    const app = new Hono().use(compress({ threshold: 0 })).use(toHonoHandler(orderService({}, 200).service));
    const init = { headers: { "Accept-Encoding": "gzip" } };
    const response = await app.request(`${ORIGIN}/odata/Orders`, init);
    expect(response.headers.get("content-encoding")).toBe("gzip");
    const text = await new Response(response.body?.pipeThrough(new DecompressionStream("gzip"))).text();
    expect((JSON.parse(text) as { value: unknown[] }).value).toHaveLength(200);
  });

  test("HEAD has the headers of GET and no body, and a known ETag is 304", async () => {
    const app = new Hono().use(toHonoHandler(orderService().service));
    const whole = await app.request(`${ORIGIN}/odata/$metadata`);
    const head = await app.request(`${ORIGIN}/odata/$metadata`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(whole.headers.get("content-length"));
    const headers = { "If-None-Match": whole.headers.get("etag") ?? "" };
    const again = await app.request(`${ORIGIN}/odata/$metadata`, { headers });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("a client that leaves aborts the signal, and ends the iteration of the handler", async () => {
    let ended = false;
    const Row = entityType("Row", { id: edm.int32().key() });
    const rows = entitySet(Row, {
      maxTop: null,
      async *getAll({ signal }) {
        try {
          for (let id = 0; !signal.aborted; id++) yield { id };
        } finally {
          ended = true;
        }
      },
    });
    const app = new Hono().use(toHonoHandler(odataService({ entitySets: [rows] })));
    const controller = new AbortController();
    const response = await app.request(`${ORIGIN}/Rows`, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await reader?.cancel();
    expect(ended).toBe(true);
  });
});
