import { EventEmitter, once } from "node:events";
import { createServer, get } from "node:http";
import { connect, type AddressInfo } from "node:net";
import express, { type NextFunction, type Request, type RequestHandler, type Response as Reply } from "express";
import { authenticated, ConfigurationError, edm, entitySet, entityType, odataService } from "odatakit";
import { toExpressHandler } from "odatakit/express";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { contextOf, JSON_TYPE, listen, orderService, started, untilQuiet } from "./hosts.ts";

test("the handler is a RequestHandler of Express", () => {
  const handler = toExpressHandler(orderService().service);
  expectTypeOf(handler).toExtend<RequestHandler>();
});

describe("paths", () => {
  test.each<[string, string, string]>([
    ["/", "/odata", "/odata"],
    ["/odata", "/odata", "/odata"],
    ["/odata", "", "/odata"],
    ["/api", "/odata", "/api/odata"],
    ["/api/odata", "/odata", "/api/odata"],
    ["/api/:tenant", "/odata", "/api/a%20b/odata"],
    ["/", "", ""],
  ])("mounted at %s with the prefix %j, the service is at %s", async (path, prefix, root) => {
    const { service } = orderService({ prefix });
    const app = express();
    app.use(path, toExpressHandler(service));
    const origin = await listen(app);
    const response = await fetch(`${origin}${root}/Orders?$top=1&$skip=1&$select=Id`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { "@odata.context": `${origin}${root}/$metadata#Orders(Id)`, value: [{ Id: 2 }] },
    ]);
    const created = await fetch(`${origin}${root}/Orders`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ Id: 7, Name: "seven", Price: 1 }),
    });
    expect([created.status, created.headers.get("location")]).toEqual([201, `${origin}${root}/Orders(7)`]);
    for (const end of ["", "/", "?$format=json"]) {
      expect(await contextOf(await fetch(`${origin}${root}${end}`))).toBe(`${origin}${root}/$metadata`);
    }
  });

  test("links to further pages, and batches, know the mount path", async () => {
    const { service } = orderService({ defaults: { maxTop: 2 } });
    const app = express();
    app.use("/api", toExpressHandler(service));
    const origin = await listen(app);
    const page = (await (await fetch(`${origin}/api/odata/Orders`)).json()) as Record<string, string>;
    const next = page["@odata.nextLink"] ?? "";
    expect(next.startsWith(`${origin}/api/odata/Orders?`)).toBe(true);
    expect((await fetch(next)).status).toBe(200);
    const urls = ["Orders(1)", "/odata/Orders(1)", "/api/odata/Orders(1)", `${origin}/api/odata/Orders(1)`];
    const parts = urls.map((url) => `--b\r\nContent-Type: application/http\r\n\r\nGET ${url} HTTP/1.1\r\n\r\n\r\n`);
    const batch = await fetch(`${origin}/api/odata/$batch`, {
      method: "POST",
      headers: { "Content-Type": "multipart/mixed; boundary=b" },
      body: `${parts.join("")}--b--`,
    });
    const text = await batch.text();
    expect(text.match(/HTTP\/1\.1 200/gu)).toHaveLength(urls.length);
    expect(text.match(/"@odata\.context":"[^"]*"/gu)).toEqual(
      urls.map(() => `"@odata.context":"${origin}/api/odata/$metadata#Orders/$entity"`),
    );
  });

  test("next is called for paths of no service only", async () => {
    const { service } = orderService();
    const app = express();
    app.use(toExpressHandler(service));
    app.use((request, response) => void response.send(`host: ${request.url}`));
    const origin = await listen(app);
    for (const path of ["/", "/odatas/Orders", "/ODATA", "/%6Fdata/Orders", "/x/odata/Orders"]) {
      expect(await (await fetch(origin + path)).text()).toBe(`host: ${path}`);
    }
    const statuses = await Promise.all(
      ["/odata/Nowhere", "/odata/Orders(99)", "/odata/Orders('%')", "/odata//Orders"].map(async (path) => {
        const response = await fetch(origin + path);
        expect(response.headers.get("odata-version")).toBe("4.0");
        return response.status;
      }),
    );
    expect(statuses).toEqual([404, 404, 400, 404]);
  });

  test("keys keep slashes, quotes and percent signs", async () => {
    const Named = entityType("Named", { name: edm.string().key() });
    const seen: string[] = [];
    const getByKey = (name: string) => {
      seen.push(name);
      return { name };
    };
    const service = odataService({ entitySets: [entitySet(Named, { getByKey })] });
    const app = express();
    app.use("/a/b", toExpressHandler(service));
    const origin = await listen(app);
    for (const key of ["'a%2Fb'", "'it''s'", "'%27%27'", "'100%25'", "'%3F%23'"]) {
      expect((await fetch(`${origin}/a/b/Nameds(${key})`)).status, key).toBe(200);
    }
    expect(seen).toEqual(["a/b", "it's", "'", "100%", "?#"]);
  });

  test("a URL that the application rewrites leads to the rewritten path", async () => {
    const { service } = orderService();
    const app = express();
    app.use((request, _response, next) => {
      request.url = request.url.replace("/old/", "/odata/");
      next();
    });
    app.use(toExpressHandler(service));
    const origin = await listen(app);
    expect(await contextOf(await fetch(`${origin}/old/Orders`))).toBe(`${origin}/odata/$metadata#Orders`);
  });

  test("a request target with an authority is accepted", async () => {
    const app = express();
    app.use("/api", toExpressHandler(orderService().service));
    const { port } = new URL(await listen(app));
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("GET http://a.example/api/odata HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
    const text = (await socket.toArray()).join("");
    expect(text).toContain('"@odata.context":"http://a.example/api/odata/$metadata"');
  });

  test("several services", async () => {
    const [v1, v2, plain] = ["v1", "v2", undefined].map((name) =>
      orderService({ name, prefix: name === undefined ? "" : `/${name}` }),
    );
    const services = [v1, v2, plain].map((each) => each?.service ?? expect.unreachable());
    const app = express();
    app.use("/api", toExpressHandler(services));
    const origin = await listen(app);
    for (const path of ["/api/v1", "/api/v2", "/api"]) {
      expect(await contextOf(await fetch(`${origin}${path}/Orders`))).toBe(`${origin}${path}/$metadata#Orders`);
    }
    expect(() => toExpressHandler([...services, ...services])).toThrow(ConfigurationError);
    expect(() => toExpressHandler([])).toThrow(ConfigurationError);
  });
});

describe("bodies", () => {
  const post = (origin: string, body: string, headers: Record<string, string> = JSON_TYPE): Promise<Response> =>
    fetch(`${origin}/odata/Orders`, { method: "POST", headers, body });

  const behind = async (...parsers: RequestHandler[]) => {
    const made = orderService();
    const app = express();
    for (const parser of parsers) app.use(parser);
    app.use(toExpressHandler(made.service));
    return { ...made, origin: await listen(app) };
  };

  const keepRaw = express.json({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) });

  test.each<[string, RequestHandler]>([
    ["no parser", (_request, _response, next) => next()],
    ["express.raw", express.raw({ type: "*/*" })],
    ["express.text", express.text({ type: "*/*" })],
    ["express.json that keeps the bytes", keepRaw],
  ])("after %s the body is exact", async (_what, parser) => {
    const { origin, rows } = await behind(parser);
    const body = '{"Id":9007199254740993,"Name":"é","Price":0.12345678901234567890}';
    const response = await post(origin, body);
    expect(response.status).toBe(201);
    expect(rows.at(-1)).toEqual({ id: 9007199254740993n, name: "é", price: "0.12345678901234567890" });
    expect((await post(origin, '{"Id":1,"Id":2,"Name":"a"}')).status).toBe(400);
  });

  test("after express.json, numbers that it cannot round are accepted", async () => {
    const { origin, rows } = await behind(express.json());
    for (const [number, price] of [
      ["19.99", "19.99"],
      ["9007199254740991", "9007199254740991"],
      ["-0.000001", "-0.000001"],
      ["123456789.012345", "123456789.012345"],
      ["null", null],
    ] as const) {
      expect((await post(origin, `{"Id":10,"Name":"é","Price":${number}}`)).status, number).toBe(201);
      expect(rows.at(-1)).toEqual({ id: 10n, name: "é", price });
    }
  });

  test.each(["1e400", "-1e400", "1e309"])("after express.json, %s is 400", async (number) => {
    const { origin, rows, logged } = await behind(express.json());
    const response = await post(origin, `{"Id":10,"Name":"a","Price":${number}}`);
    expect([response.status, rows.length, logged]).toEqual([400, 3, []]);
    expect(await response.json()).toEqual({
      error: {
        code: "InvalidBody",
        message: "The body has a number that is too large. Send it as a string, if its type allows it.",
      },
    });
  });

  test.each(["9007199254740993", "0.12345678901234567", "12345678901234567.5", "-1e21"])(
    "after express.json, %s may have lost digits: 400, and the response says why",
    async (number) => {
      const { origin, rows, logged } = await behind(express.json());
      const response = await post(origin, `{"Id":10,"Name":"a","Price":${number}}`);
      expect([response.status, rows.length, logged]).toEqual([400, 3, []]);
      expect(await response.json()).toEqual({
        error: {
          code: "InvalidBody",
          message: `The host parsed the body, and its number ${String(Number(number))} may have lost digits. Send the number as a string, or let the host pass the raw body to the service.`,
        },
      });
    },
  );

  test("strings are exact after express.json, and integers of parsers that make bigints", async () => {
    const strings = await behind(express.json());
    const type = { "Content-Type": "application/json;IEEE754Compatible=true" };
    const body = '{"Id":"9007199254740993","Name":"a","Price":"0.1234567890123456789"}';
    expect((await post(strings.origin, body, type)).status).toBe(201);
    expect(strings.rows.at(-1)?.id).toBe(9007199254740993n);
    const bigints = await behind(express.json(), (request, _response, next) => {
      request.body = { Id: 9007199254740993n, Name: "a" };
      next();
    });
    expect((await post(bigints.origin, "{}")).status).toBe(201);
    expect(bigints.rows.at(-1)?.id).toBe(9007199254740993n);
  });

  test("a body that another parser consumed, or that is not JSON, is 500", async () => {
    const consumed = await behind((request, _response, next) => request.resume().once("end", next));
    expect((await post(consumed.origin, '{"Id":10,"Name":"a"}')).status).toBe(500);
    const form = await behind((request, _response, next) => {
      request.resume().once("end", () => {
        request.body = { requests: [] };
        next();
      });
    });
    const batch = await fetch(`${form.origin}/odata/$batch`, {
      method: "POST",
      headers: { "Content-Type": "multipart/mixed; boundary=b" },
      body: "--b--",
    });
    expect(batch.status).toBe(500);
  });

  test("the limits of the service hold for parsed bodies", async () => {
    for (const parser of [express.json(), express.raw({ type: "*/*" }), express.text({ type: "*/*" })]) {
      const { service } = orderService({ defaults: { maxRequestBodyBytes: 40 } });
      const app = express();
      app.use(parser, toExpressHandler(service));
      const origin = await listen(app);
      // Without Content-Length, the size is known only from the body.
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(`{"Id":10,"Name":"${"a".repeat(50)}"}`));
          controller.close();
        },
      });
      const init = { method: "POST", headers: JSON_TYPE, body: stream, duplex: "half" as const };
      const response = await fetch(`${origin}/odata/Orders`, init);
      expect(response.status).toBe(413);
      expect(((await response.json()) as { error: { code: string } }).error.code).toBe("PayloadTooLarge");
    }
  });
});

describe("the host", () => {
  test("authenticate, rules and handlers see its request", async () => {
    const { service, contexts } = orderService({
      authenticate: (request) => (request.host as { user?: { id: string } }).user ?? null,
      authorization: authenticated(),
    });
    let seen: Request | undefined;
    const app = express();
    app.use((request, _response, next) => {
      const id = request.header("x-user");
      if (id !== undefined) Object.assign(request, { user: { id } });
      seen = request;
      next();
    });
    app.use("/api", toExpressHandler(service));
    const origin = await listen(app);
    expect((await fetch(`${origin}/api/odata/Orders`)).status).toBe(401);
    expect((await fetch(`${origin}/api/odata/Orders`, { headers: { "X-User": "ann" } })).status).toBe(200);
    expect(contexts.map(({ user, host }) => [user?.id, host === seen])).toEqual([["ann", true]]);
  });

  test("its headers and cookies survive, and Vary names the headers of both", async () => {
    const app = express();
    app.use((_request, response, next) => {
      response.setHeader("Access-Control-Allow-Origin", "https://app.example");
      response.vary("Origin").cookie("a", "1").cookie("b", "2").set("Cache-Control", "public");
      next();
    });
    app.use(toExpressHandler(orderService({ authenticate: () => ({ id: "ann" }) }).service));
    const { headers } = await fetch(`${await listen(app)}/odata/Orders`);
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
    expect(headers.get("vary")).toMatch(/^Origin, Accept,/u);
    // A shared cache must not store the response to a user.
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("its error handler gets errors of its middleware, and responses that cannot be sent", async () => {
    const errors: string[] = [];
    const app = express();
    app.use(express.json({ limit: 10 }));
    app.use((request, response, next) => {
      if (request.query["break"] !== undefined) {
        response.writeHead = () => {
          throw new Error("no head");
        };
      }
      next();
    });
    app.use(toExpressHandler(orderService().service));
    app.use((error: Error, _request: Request, response: Reply, _next: NextFunction) => {
      errors.push(error.message);
      response.statusCode = 418;
      response.end();
    });
    const origin = await listen(app);
    const init = { method: "POST", headers: JSON_TYPE, body: '{"Id":10,"Name":"a"}' };
    expect((await fetch(`${origin}/odata/Orders`, init)).status).toBe(418);
    expect(errors).toEqual(["request entity too large"]);
  });

  test("HEAD has the headers of GET and no body, and a known ETag is 304", async () => {
    const app = express();
    app.use(toExpressHandler(orderService().service));
    const origin = await listen(app);
    const whole = await fetch(`${origin}/odata/$metadata`);
    const head = await fetch(`${origin}/odata/$metadata`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String((await whole.bytes()).length));
    const etag = whole.headers.get("etag") ?? "";
    const again = await fetch(`${origin}/odata/$metadata`, { headers: { "If-None-Match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
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
    const app = express();
    app.use(toExpressHandler(odataService({ entitySets: [slow] })));
    const controller = new AbortController();
    const request = fetch(`${await listen(app)}/Slows`, { signal: controller.signal });
    await begun;
    controller.abort();
    await expect(request).rejects.toThrow();
    await aborted;
  });

  test("a client that pauses stops the writing of entities, and a closing server completes the response", async () => {
    let made = 0;
    const Row = entityType("Row", { id: edm.int32().key(), text: edm.string() });
    const TOTAL = 40_000;
    const rows = entitySet(Row, {
      maxTop: null,
      getAll: () =>
        Array.from({ length: TOTAL }, (_none, id) => ({
          id,
          get text() {
            made += 1;
            return "x".repeat(1000);
          },
        })),
    });
    const app = express();
    app.use("/api", toExpressHandler(odataService({ entitySets: [rows], defaults: { maxPageSize: TOTAL } })));
    const server = createServer(app);
    const origin = await started(server);
    const request = get(`${origin}/api/Rows`, { agent: false });
    onTestFinished(() => void request.destroy());
    const [response] = (await once(request, "response")) as [import("node:http").IncomingMessage];
    await untilQuiet(() => made);
    expect(made).toBeLessThan(TOTAL);
    server.close();
    const chunks = (await response.toArray()) as Buffer[];
    const { value } = JSON.parse(Buffer.concat(chunks).toString()) as { value: unknown[] };
    expect(value).toHaveLength(TOTAL);
    expect((server.address() as AddressInfo | null)?.port).toBeUndefined();
  });
});
