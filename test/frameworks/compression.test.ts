import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as send, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import express, { type RequestHandler } from "express";
import Fastify, { type FastifyPluginAsync } from "fastify";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { toExpressHandler } from "odatakit/express";
import { toFastifyPlugin } from "odatakit/fastify";
import { toHonoHandler } from "odatakit/hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, untilQuiet } from "../hosts/adapters/hosts.ts";

const require = createRequire(join(fileURLToPath(new URL("packages/", import.meta.url)), "package.json"));
const compression = require("compression") as () => RequestHandler;
const fastifyCompress = require("@fastify/compress") as FastifyPluginAsync;

/** More entities than fit into the buffers of streams. */
const MANY = 5000;
const Row = entityType("Row", { id: edm.int32().key(), text: edm.string() });
const BrokenRow = entityType("BrokenRow", { id: edm.int32().key(), text: edm.string() });
const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), version: edm.int32() });

function makeService(): ODataService {
  const notes = new Map([1, 2].map((id) => [id, { id, text: "x".repeat(5000), version: 1 }]));
  return odataService({
    prefix: "/odata",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    entitySets: [
      entitySet(Row, {
        maxTop: null,
        async *getAll() {
          for (let id = 0; id < MANY; id++) {
            if (id % 500 === 0) await pause(0);
            yield { id, text: `row ${String(id)}` };
          }
        },
      }),
      entitySet(BrokenRow, {
        name: "Broken",
        maxTop: null,
        getAll: () =>
          Array.from({ length: MANY }, (_none, id) => ({
            id,
            get text() {
              if (id === MANY - 1) throw new Error("The source broke.");
              return `row ${String(id)}`;
            },
          })),
      }),
      entitySet(Note, {
        etag: ["version"],
        getAll: () => [...notes.values()],
        getByKey: (id) => notes.get(id) ?? null,
        patch: (id, delta) => {
          const before = notes.get(id);
          if (before === undefined) return null;
          const after = { ...before, ...delta, version: before.version + 1 };
          notes.set(id, after);
          return after;
        },
        delete: (id) => notes.delete(id),
      }),
    ],
  });
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
type Ask = (path: string, sent?: Sent) => Promise<Reply>;

const EXPRESS = async (service: ODataService): Promise<string> => {
  const app = express();
  app.use(compression());
  app.use(toExpressHandler(service));
  return listen(app);
};

const FASTIFY = async (service: ODataService): Promise<string> => {
  const app = Fastify();
  await app.register(fastifyCompress);
  await app.register(toFastifyPlugin(service));
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: "127.0.0.1" });
};

/** Sends requests over HTTP, without decoding responses. */
function askAt(origin: string): Ask {
  return async (path, { method = "GET", headers = {}, body } = {}) => {
    const request = send(origin + path, { method, headers, agent: false });
    request.end(body);
    const [message] = (await once(request, "response")) as [IncomingMessage];
    const bytes = Buffer.concat((await message.toArray()) as Buffer[]);
    return { status: message.statusCode ?? 0, headers: message.headers, bytes };
  };
}

const HOSTS: Readonly<Record<string, (service: ODataService) => Promise<Ask>>> = {
  "compression of Express": async (service) => askAt(await EXPRESS(service)),
  "@fastify/compress": async (service) => askAt(await FASTIFY(service)),
  "compress of Hono": (service) => {
    const app = new Hono();
    app.use(compress());
    app.use(toHonoHandler(service));
    return Promise.resolve(async (path, sent = {}) => {
      const response = await app.request(path, sent);
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
    });
  },
};

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

function textOf({ headers, bytes }: Reply): string {
  const coding = headers["content-encoding"];
  return (coding === undefined ? bytes : (DECODERS[coding] ?? expect.unreachable(coding))(bytes)).toString("utf8");
}

const GZIP = { "Accept-Encoding": "gzip" };
const JSON_TYPE = { "Content-Type": "application/json" };

/** The names of Vary, each once. */
function varyOf({ headers }: Reply): readonly string[] {
  const names = String(headers.vary).toLowerCase().split(/, */u);
  expect(names).toEqual([...new Set(names)]);
  return names;
}

describe.each(Object.entries(HOSTS))("%s", (_name, open) => {
  test.each(["gzip", "deflate", "br, gzip;q=0.5", "gzip, deflate, br, zstd"])(
    "compresses whole and streamed pages for %s",
    async (accepted) => {
      const ask = await open(makeService());
      for (const path of ["/odata/Notes", "/odata/Rows", "/odata/$metadata"]) {
        const plain = await ask(path);
        const coded = await ask(path, { headers: { "Accept-Encoding": accepted } });
        expect([coded.status, coded.headers["odata-version"]], path).toEqual([200, "4.0"]);
        expect(plain.headers["content-encoding"], path).toBeUndefined();
        expect(coded.headers["content-encoding"], path).toMatch(/^(?:gzip|deflate|br|zstd)$/u);
        expect(coded.bytes.length, path).toBeLessThan(plain.bytes.length);
        expect(textOf(coded).replaceAll("localhost", "127.0.0.1"), path).toBe(
          textOf(plain).replaceAll("localhost", "127.0.0.1"),
        );
        expect(coded.headers["content-length"] ?? String(coded.bytes.length), path).toBe(String(coded.bytes.length));
        expect(varyOf(coded), path).toContain("accept-encoding");
        if (path !== "/odata/$metadata") expect(varyOf(coded), path).toContain("prefer");
        expect(coded.headers["content-type"], path).toBe(plain.headers["content-type"]);
      }
      const { value } = JSON.parse(textOf(await ask("/odata/Rows", { headers: GZIP }))) as { value: unknown[] };
      expect(value).toHaveLength(MANY);
    },
  );

  test("leaves short responses, errors and empty responses as they are", async () => {
    const ask = await open(makeService());
    const count = await ask("/odata/Notes/$count", { headers: GZIP });
    expect([count.status, count.headers["content-encoding"], textOf(count)]).toEqual([200, undefined, "2"]);
    const missing = await ask("/odata/Notes(9)", { headers: GZIP });
    expect([missing.status, JSON.parse(textOf(missing)).error.code]).toEqual([404, "NotFound"]);
    const removed = await ask("/odata/Notes(2)", { method: "DELETE", headers: { ...GZIP, "If-Match": "*" } });
    expect([removed.status, removed.bytes.length]).toEqual([204, 0]);
    expect(removed.headers["content-encoding"]).toBeUndefined();
    const options = await ask("/odata/Notes", { method: "OPTIONS", headers: GZIP });
    expect([options.status, options.headers.allow, options.bytes.length]).toEqual([204, "GET, HEAD, OPTIONS", 0]);
  });

  test.each(["/odata/Notes", "/odata/Rows", "/odata/$metadata"])("HEAD of %s has no body", async (path) => {
    const ask = await open(makeService());
    const whole = await ask(path, { headers: GZIP });
    const head = await ask(path, { method: "HEAD", headers: GZIP });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers["content-type"]).toBe(whole.headers["content-type"]);
    expect(head.headers["odata-version"]).toBe("4.0");
  });

  test("keeps ETags usable: 304, PATCH and 412", async () => {
    const ask = await open(makeService());
    for (const path of ["/odata/$metadata", "/odata/Notes(1)"]) {
      const { etag = "" } = (await ask(path, { headers: GZIP })).headers;
      expect(etag, path).toMatch(/^(?:W\/)?"[^"]+"$/u);
      const again = await ask(path, { headers: { ...GZIP, "If-None-Match": etag } });
      expect([again.status, again.bytes.length, again.headers["content-encoding"]], path).toEqual([304, 0, undefined]);
    }
    const { etag = "" } = (await ask("/odata/Notes(1)", { headers: GZIP })).headers;
    const change = (): Promise<Reply> =>
      ask("/odata/Notes(1)", {
        method: "PATCH",
        headers: { ...GZIP, ...JSON_TYPE, "If-Match": etag },
        body: JSON.stringify({ Text: "y".repeat(3000) }),
      });
    const changed = await change();
    expect([changed.status, JSON.parse(textOf(changed)).Text]).toEqual([200, "y".repeat(3000)]);
    expect(changed.headers.etag?.replace("W/", "")).not.toBe(etag.replace("W/", ""));
    expect((await change()).status).toBe(412);
  });

  test("compresses the response to a batch whole", async () => {
    const ask = await open(makeService());
    const part = (path: string): string =>
      `--b\r\nContent-Type: application/http\r\n\r\nGET ${path} HTTP/1.1\r\n\r\n\r\n`;
    const batch = {
      method: "POST",
      headers: { ...GZIP, "Content-Type": "multipart/mixed; boundary=b" },
      body: `${part("Notes(1)")}${part("Rows")}${part("Notes(9)")}--b--`,
    };
    const response = await ask("/odata/$batch", batch);
    expect(response.status).toBe(200);
    const boundary = /boundary=(\S+)$/u.exec(String(response.headers["content-type"]))?.[1] ?? "";
    const parts = textOf(response).split(`--${boundary}`);
    expect(parts.slice(1, -1).map((each) => /HTTP\/1\.1 (\d+)/u.exec(each)?.[1])).toEqual(["200", "200", "404"]);
    expect(parts[2]).toContain(`"Id":${String(MANY - 1)},`);
    expect(parts.at(-1)).toMatch(/^--/u);
  });

  test("a page that breaks off is not a complete response", async () => {
    const ask = await open(makeService());
    await expect(ask("/odata/Broken", { headers: GZIP }).then(textOf)).rejects.toThrow();
    // Other requests go on.
    expect((await ask("/odata/Notes", { headers: GZIP })).status).toBe(200);
  });
});

describe.each<[string, (service: ODataService) => Promise<string>]>([
  ["compression of Express", EXPRESS],
  ["@fastify/compress", FASTIFY],
])("%s: a client that pauses stops the source, and gets everything later", (_name, open) => {
  test.each([
    ["short texts", 1200, 12_000],
    ["long texts", 12_000, 1200],
  ])("of a source with %s", async (_what, length, total) => {
    let made = 0;
    const rows = entitySet(Row, {
      maxTop: null,
      getAll: () =>
        Array.from({ length: total }, (_none, id) => ({
          id,
          get text() {
            made += 1;
            // Random texts keep their length.
            return randomBytes(length).toString("base64");
          },
        })),
    });
    const origin = await open(odataService({ entitySets: [rows], defaults: { maxPageSize: 20_000 } }));
    const request = send(`${origin}/Rows`, { headers: GZIP, agent: false });
    onTestFinished(() => void request.destroy());
    request.end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    await untilQuiet(() => made);
    expect(made).toBeLessThan(total);
    const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
    const { value } = JSON.parse(gunzipSync(bytes).toString("utf8")) as { value: unknown[] };
    expect([value.length, made]).toEqual([total, total]);
  });
});
