import { EventEmitter, once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import Fastify, { type FastifyInstance, type FastifyPluginCallback } from "fastify";
import { authenticated, ConfigurationError, edm, entitySet, entityType, odataService } from "odatakit";
import { toFastifyPlugin } from "odatakit/fastify";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { contextOf, JSON_TYPE, orderService, untilQuiet } from "./hosts.ts";

test("the plugin is one of Fastify", () => {
  expectTypeOf(toFastifyPlugin(orderService().service)).toExtend<FastifyPluginCallback>();
});

/** Starts an application that ends with the test. @returns its origin */
async function listen(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: "127.0.0.1" });
}

describe("paths", () => {
  test.each<[string, string, string]>([
    ["", "/odata", "/odata"],
    ["/", "/odata", "/odata"],
    ["/odata", "/odata", "/odata"],
    ["/odata", "", "/odata"],
    ["/api", "/odata", "/api/odata"],
    ["/api/", "/odata", "/api/odata"],
    ["/api", "/api/odata", "/api/odata"],
    ["/:tenant", "/odata", "/a%20b/odata"],
    ["", "/a:b", "/a:b"],
    ["/api", "/:x/odata", "/api/:x/odata"],
    ["", "/a(b)+", "/a(b)+"],
    ["", "", ""],
  ])("registered at %j with the prefix %j, the service is at %s", async (prefix, own, root) => {
    const app = Fastify();
    app.register(toFastifyPlugin(orderService({ prefix: own }).service), { prefix });
    const origin = await listen(app);
    const response = await fetch(`${origin}${root}/Orders?$top=1&$skip=1&$select=Id`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { "@odata.context": `${origin}${root}/$metadata#Orders(Id)`, value: [{ Id: 2 }] },
    ]);
    const body = JSON.stringify({ Id: 7, Name: "seven" });
    const created = await fetch(`${origin}${root}/Orders`, { method: "POST", headers: JSON_TYPE, body });
    expect([created.status, created.headers.get("location")]).toEqual([201, `${origin}${root}/Orders(7)`]);
    for (const end of ["", "/", "?$format=json"]) {
      expect(await contextOf(await fetch(`${origin}${root}${end}`))).toBe(`${origin}${root}/$metadata`);
    }
  });

  test("a prefix with an asterisk is refused at startup", async () => {
    const app = Fastify();
    await expect(async () => {
      await app.register(toFastifyPlugin(orderService({ prefix: "/a*" }).service));
      await app.ready();
    }).rejects.toThrow(/^[^]*Fastify cannot serve the prefix "\/a\*"[^]*Choose a prefix without an asterisk/);
  });

  test("a colon in a prefix is literal", async () => {
    const app = Fastify();
    app.register(toFastifyPlugin(orderService({ prefix: "/:x" }).service));
    app.setNotFoundHandler((request, reply) => reply.code(404).send(`host: ${request.url}`));
    const origin = await listen(app);
    expect((await fetch(`${origin}/:x/Orders`)).status).toBe(200);
    expect(await (await fetch(`${origin}/q/Orders`)).text()).toBe("host: /q/Orders");
  });

  test("paths of no service, and the response to them, are those of the application", async () => {
    const app = Fastify({ routerOptions: { caseSensitive: false } });
    app.register(toFastifyPlugin(orderService().service));
    app.setNotFoundHandler((request, reply) => reply.code(404).send(`host: ${request.url}`));
    app.get("/odata-sheet", () => "sheet");
    const origin = await listen(app);
    for (const path of ["/", "/odatas/Orders", "/x/odata/Orders"]) {
      const response = await fetch(origin + path);
      expect([response.status, await response.text()]).toEqual([404, `host: ${path}`]);
    }
    expect(await (await fetch(`${origin}/odata-sheet`)).text()).toBe("sheet");
    for (const path of ["/odata/Nowhere", "/ODATA", "/%6Fdata/Orders"]) {
      const missing = await fetch(origin + path);
      expect([missing.status, missing.headers.get("odata-version")], path).toEqual([404, "4.0"]);
    }
  });

  test("keys keep slashes, quotes and percent signs", async () => {
    const Named = entityType("Named", { name: edm.string().key() });
    const seen: string[] = [];
    const getByKey = (name: string) => {
      seen.push(name);
      return { name };
    };
    const app = Fastify();
    app.register(toFastifyPlugin(odataService({ entitySets: [entitySet(Named, { getByKey })] })), { prefix: "/a/b" });
    const origin = await listen(app);
    const long = "x".repeat(500);
    for (const key of ["'a%2Fb'", "'it''s'", "'%27%27'", "'100%25'", "'%3F%23;'", `'${long}'`]) {
      expect((await fetch(`${origin}/a/b/Nameds(${key})`)).status, key).toBe(200);
    }
    expect(seen).toEqual(["a/b", "it's", "'", "100%", "?#;", long]);
  });

  test("methods that Fastify does not know, and types that it cannot read, get responses of the service", async () => {
    const app = Fastify();
    app.register(toFastifyPlugin(orderService().service));
    const origin = await listen(app);
    const merge = await fetch(`${origin}/odata/Orders(1)`, { method: "MERGE" });
    expect([merge.status, merge.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    const type = await fetch(`${origin}/odata/Orders`, {
      method: "POST",
      headers: { "Content-Type": "@" },
      body: "{}",
    });
    const { error } = (await type.json()) as { error: { code: string } };
    expect([type.status, error.code]).toEqual([415, "UnsupportedMediaType"]);
  });

  test("several services", async () => {
    const [v1, v2, plain] = ["v1", "v2", undefined].map((name) =>
      orderService({ name, prefix: name === undefined ? "" : `/${name}` }),
    );
    const services = [v1, v2, plain].map((each) => each?.service ?? expect.unreachable());
    const app = Fastify();
    app.register(toFastifyPlugin(services), { prefix: "/api" });
    const origin = await listen(app);
    for (const path of ["/api/v1", "/api/v2", "/api"]) {
      expect(await contextOf(await fetch(`${origin}${path}/Orders`))).toBe(`${origin}${path}/$metadata#Orders`);
    }
    expect(() => toFastifyPlugin([...services, ...services])).toThrow(ConfigurationError);
  });
});

describe("bodies", () => {
  test("are exact, and other routes keep the parsers of Fastify", async () => {
    const { service, rows } = orderService();
    const app = Fastify({ bodyLimit: 100 });
    app.register(toFastifyPlugin(service));
    app.post("/echo", (request) => request.body);
    const origin = await listen(app);
    const body = `{"Id":9007199254740993,"Name":"${"é".repeat(200)}","Price":0.12345678901234567890}`;
    expect((await fetch(`${origin}/odata/Orders`, { method: "POST", headers: JSON_TYPE, body })).status).toBe(201);
    expect(rows.at(-1)).toEqual({ id: 9007199254740993n, name: "é".repeat(200), price: "0.12345678901234567890" });
    const echo = { method: "POST", headers: JSON_TYPE, body: '{"a":1}' };
    expect(await (await fetch(`${origin}/echo`, echo)).json()).toEqual({ a: 1 });
  });

  test("above the limit of the service are 413, streamed or not", async () => {
    const app = Fastify();
    app.register(toFastifyPlugin(orderService({ defaults: { maxRequestBodyBytes: 1000 } }).service));
    const origin = await listen(app);
    const text = `{"Id":10,"Name":"${"a".repeat(3_000_000)}"}`;
    for (const body of [text, ReadableStream.from([new TextEncoder().encode(text)])]) {
      const init = { method: "POST", headers: JSON_TYPE, body, duplex: "half" as const };
      const response = await fetch(`${origin}/odata/Orders`, init);
      expect([response.status, response.headers.get("odata-version")]).toEqual([413, "4.0"]);
    }
  });

  test("of hooks that replace the stream are read from it", async () => {
    const { service, rows } = orderService({ defaults: { maxRequestBodyBytes: 100 } });
    const app = Fastify();
    app.addHook("preParsing", async (_request, _reply, payload) => {
      const upper = new Transform({
        transform: (chunk: Buffer, _encoding, done) => done(null, chunk.toString().replaceAll("x", "Y")),
      });
      return payload.pipe(upper);
    });
    app.register(toFastifyPlugin(service));
    const origin = await listen(app);
    const send = (body: string) => fetch(`${origin}/odata/Orders`, { method: "POST", headers: JSON_TYPE, body });
    expect((await send('{"Id":10,"Name":"xx"}')).status).toBe(201);
    expect(rows.at(-1)?.name).toBe("YY");
    expect((await send(`{"Id":10,"Name":"${"x".repeat(100)}"}`)).status).toBe(413);
  });
});

describe("the host", () => {
  test("authenticate and handlers see its request; its hooks run, and their errors are its own", async () => {
    const { service, contexts } = orderService({
      authenticate: (request) => (request.host as { user?: { id: string } }).user ?? null,
      authorization: authenticated(),
    });
    const app = Fastify();
    app.decorateRequest("user");
    app.addHook("preHandler", async (request) => {
      const id = request.headers["x-user"];
      if (id === "nobody") throw Object.assign(new Error("no"), { statusCode: 418 });
      if (id !== undefined) Object.assign(request, { user: { id } });
    });
    app.register(toFastifyPlugin(service), { prefix: "/api" });
    const origin = await listen(app);
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${origin}/api/odata/Orders`, { headers })).status;
    expect([await statusOf({}), await statusOf({ "X-User": "ann" }), await statusOf({ "X-User": "nobody" })]).toEqual([
      401, 200, 418,
    ]);
    expect(contexts.map(({ user, host }) => [user?.id, (host as { id?: string }).id])).toEqual([["ann", "req-2"]]);
  });

  test("its headers and cookies survive, onSend hooks change the response, and Vary names the headers of both", async () => {
    const app = Fastify();
    app.addHook("onRequest", async (_request, reply) => {
      reply.header("Access-Control-Allow-Origin", "https://app.example").header("Vary", "Origin");
      reply.header("Set-Cookie", ["a=1", "b=2"]).header("Cache-Control", "public");
    });
    app.addHook("onSend", async (_request, reply, payload) => {
      reply.header("X-Bytes", String(Buffer.isBuffer(payload) ? payload.length : 0));
    });
    app.register(toFastifyPlugin(orderService({ authenticate: () => ({ id: "ann" }) }).service));
    const { headers } = await fetch(`${await listen(app)}/odata/Orders`);
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(headers.get("vary")).toMatch(/^Origin, Accept,/u);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toBe("application/json;odata.metadata=minimal");
    expect(headers.get("x-bytes")).toBe(headers.get("content-length"));
  });

  test("HEAD, 304, 204 and the first request of inject", async () => {
    const app = Fastify();
    app.register(toFastifyPlugin(orderService().service));
    onTestFinished(() => app.close());
    const whole = await app.inject("/odata/$metadata");
    expect(whole.statusCode).toBe(200);
    const head = await app.inject({ method: "HEAD", url: "/odata/$metadata" });
    expect([head.statusCode, head.body, head.headers["content-length"]]).toEqual([
      200,
      "",
      String(whole.rawPayload.length),
    ]);
    const etag = String(whole.headers.etag);
    const again = await app.inject({ url: "/odata/$metadata", headers: { "if-none-match": etag } });
    expect([again.statusCode, again.body, again.headers["content-length"]]).toEqual([304, "", undefined]);
    const options = await app.inject({ method: "OPTIONS", url: "/odata/Orders" });
    expect([options.statusCode, options.headers["content-length"]]).toEqual([204, undefined]);
    const created = await app.inject({ method: "POST", url: "/odata/Orders", payload: { Id: 9, Name: "nine" } });
    expect(created.statusCode).toBe(201);
  });

  test("a database that differs from the declarations stops the start", async () => {
    const { service } = orderService();
    const app = Fastify();
    app.register(toFastifyPlugin({ ...service, ready: () => Promise.reject(new Error("differs")) }));
    await expect(app.ready()).rejects.toThrow("differs");
  });

  test("a client that leaves aborts the signal", async () => {
    const calls = new EventEmitter();
    const [begun, aborted] = [once(calls, "begun"), once(calls, "aborted")];
    const Slow = entityType("Slow", { id: edm.int32().key() });
    const slow = entitySet(Slow, {
      getAll: async ({ signal }) => {
        calls.emit("begun");
        await once(signal, "abort");
        calls.emit("aborted");
        return [];
      },
    });
    const app = Fastify();
    app.register(toFastifyPlugin(odataService({ entitySets: [slow] })));
    const controller = new AbortController();
    const request = fetch(`${await listen(app)}/Slows`, { signal: controller.signal });
    await begun;
    controller.abort();
    await expect(request).rejects.toThrow();
    await aborted;
  });
});

describe("large pages", () => {
  const TOTAL = 40_000;
  const Row = entityType("Row", { id: edm.int32().key(), text: edm.string().nullable() });

  /** Rows whose writing can be watched. @param broken the row that cannot be written */
  function written(broken?: number) {
    const state = { made: 0 };
    const logged: unknown[] = [];
    const rows = entitySet(Row, {
      maxTop: null,
      getAll: () =>
        Array.from({ length: TOTAL }, (_none, id) => ({
          id,
          get text() {
            if (id === broken) throw new Error("broken row");
            state.made += 1;
            return "x".repeat(1000);
          },
        })),
    });
    const error = (_message: string, fields?: unknown): void => void logged.push(fields);
    const logger = { error, warn: error, info: error };
    const app = Fastify();
    app.register(toFastifyPlugin(odataService({ logger, entitySets: [rows], defaults: { maxPageSize: TOTAL } })), {
      prefix: "/api",
    });
    return { app, state, logged };
  }

  async function begin(origin: string): Promise<IncomingMessage> {
    const request = get(`${origin}/api/Rows`, { agent: false });
    onTestFinished(() => void request.destroy());
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return response;
  }

  test("wait for a client that pauses, and a closing application completes them", async () => {
    const { app, state } = written();
    const response = await begin(await listen(app));
    await untilQuiet(() => state.made);
    expect(state.made).toBeLessThan(TOTAL);
    const closed = app.close();
    const chunks = (await response.toArray()) as Buffer[];
    const { value } = JSON.parse(Buffer.concat(chunks).toString()) as { value: unknown[] };
    expect(value).toHaveLength(TOTAL);
    await closed;
  });

  test("end when the client leaves", async () => {
    const { app, state, logged } = written();
    const response = await begin(await listen(app));
    response.destroy();
    await untilQuiet(() => state.made);
    expect(state.made).toBeLessThan(TOTAL);
    expect(logged).toEqual([]);
  });

  test("that fail are cut off, and logged once", async () => {
    const { app, logged } = written(20_000);
    const response = await begin(await listen(app));
    await expect(response.toArray()).rejects.toThrow("aborted");
    expect(logged).toEqual([
      expect.objectContaining({ err: expect.objectContaining({ message: "broken row" }), status: 200 }),
    ]);
  });
});
