import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { brotliDecompressSync, createGunzip, gunzipSync, zstdDecompressSync } from "node:zlib";
import { action, edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { serve, type ServeOptions } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { untilQuiet } from "../../hosts/adapters/hosts.ts";
import { MULTIPART, multipart } from "./batch-model.ts";
import { VARY } from "./doors.ts";
import { noFailures, recordingLogger } from "./model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), data: edm.binary() });
const TEXT = "words that repeat. ".repeat(40);
const noteOf = (id: number) => ({ id, text: `${String(id)} ${TEXT}`, data: new Uint8Array(5000) });
const NOTES = Array.from({ length: 50 }, (_none, index) => noteOf(index + 1));

let writes = 0;
let end: (text: string) => void = () => undefined;
/** The result of the action `wait`. */
const ended = new Promise<string>((resolve) => {
  end = resolve;
});

function notes(options: Partial<ServiceOptions> = {}) {
  return odataService({
    prefix: "/odata",
    logger: noFailures,
    defaults: { maxTop: null },
    entitySets: [
      entitySet(Note, {
        etag: ["id"],
        getAll: () => NOTES,
        getByKey: (id) => NOTES[id - 1] ?? null,
        patch: (id) => NOTES[id - 1] ?? null,
        create: () => {
          writes += 1;
          return NOTES[0]!;
        },
      }),
    ],
    actions: { wait: action({ returns: edm.string(), handler: () => ended }) },
    ...options,
  });
}

async function start(options: ServeOptions = { compression: true }, service = notes()) {
  const server = await serve(service, { port: 0, host: "127.0.0.1", ...options });
  onTestFinished(() => server.close());
  return server;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

function send(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  body?: string,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const CODINGS = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  ...(typeof zstdDecompressSync === "function" ? { zstd: zstdDecompressSync } : {}),
};
const accept = (coding: string) => ({ "Accept-Encoding": coding });

describe("compression", () => {
  test.each(Object.entries(CODINGS))("as %s gives the same bytes, whole and in chunks", async (coding, decode) => {
    const { port } = await start();
    for (const path of ["/odata/Notes(1)", "/odata/Notes", "/odata/$metadata", "/odata/Notes?$expand=*&$count=true"]) {
      const plain = await send(port, path);
      const coded = await send(port, path, accept(coding));
      expect(decode(coded.bytes).toString()).toBe(plain.bytes.toString());
      expect(coded.headers["content-encoding"]).toBe(coding);
      expect(coded.headers["vary"]).toBe(`${VARY}, Accept-Encoding`);
      expect(plain.headers["vary"]).toBe(`${VARY}, Accept-Encoding`);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length);
      expect(coded.headers["odata-version"]).toBe("4.0");
    }
  });

  test("compresses long pages that are written in chunks", async () => {
    const many = Array.from({ length: 5000 }, (_none, index) => noteOf(index + 1));
    const service = notes({ entitySets: [entitySet(Note, { getAll: () => many })] });
    const { port } = await start({ compression: true }, service);
    const path = "/odata/Notes?$select=Id,Text";
    const plain = await send(port, path);
    for (const [coding, decode] of Object.entries(CODINGS)) {
      const coded = await send(port, path, accept(coding));
      expect(coded.headers["transfer-encoding"]).toBe("chunked");
      expect(decode(coded.bytes).equals(plain.bytes)).toBe(true);
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 10);
    }
  });

  test("leaves short, empty and binary responses as they are", async () => {
    const { port } = await start();
    const headers = accept("gzip");
    const short = await send(port, "/odata/Notes/$count", headers);
    expect([short.bytes.toString(), short.headers["content-encoding"]]).toEqual(["50", undefined]);
    const error = await send(port, "/odata/Nothing", headers);
    expect([error.status, error.headers["content-encoding"], error.headers["vary"]]).toEqual([
      404,
      undefined,
      "Accept-Encoding",
    ]);
    const head = await send(port, "/odata/Notes(1)", headers, "HEAD");
    const plain = await send(port, "/odata/Notes(1)");
    expect([head.headers["content-encoding"], head.headers["content-length"]]).toEqual(["gzip", undefined]);
    const plainHead = await send(port, "/odata/Notes(1)", {}, "HEAD");
    expect([plainHead.headers["content-encoding"], plainHead.headers["content-length"]]).toEqual([
      undefined,
      String(plain.bytes.length),
    ]);
    const raw = await send(port, "/odata/Notes(1)/Data/$value", headers);
    expect([raw.headers["content-encoding"], raw.bytes.length]).toEqual([undefined, 5000]);
    const type = { ...headers, "Content-Type": "application/json", Prefer: "return=minimal" };
    const empty = await send(port, "/odata/Notes(1)", type, "PATCH", "{}");
    expect([empty.status, empty.headers["content-encoding"], empty.bytes.length]).toEqual([204, undefined, 0]);
  });

  test.each(["/odata/Notes(1)", "/odata/Notes", "/odata/Notes/$count", "/odata/Nothing", "/odata/$metadata"])(
    "HEAD of %s has the headers of GET, and no length of other bytes",
    async (path) => {
      const { port } = await start();
      for (const headers of [accept("gzip"), accept("identity;q=0, br"), { ...accept("gzip"), Cookie: "a=b" }]) {
        const { headers: read, bytes } = await send(port, path, headers);
        const head = await send(port, path, headers, "HEAD");
        for (const name of ["content-type", "content-encoding", "etag", "vary", "cache-control"]) {
          expect([name, head.headers[name]]).toEqual([name, read[name]]);
        }
        expect([undefined, String(bytes.length)]).toContain(head.headers["content-length"]);
      }
    },
  );

  test("begins at the threshold", async () => {
    const { port } = await start({ compression: { threshold: 3 } });
    const count = await send(port, "/odata/Notes/$count", accept("gzip"));
    expect(count.headers["content-encoding"]).toBeUndefined();
    const lower = await start({ compression: { threshold: 2 } });
    const coded = await send(lower.port, "/odata/Notes/$count", accept("gzip"));
    expect(gunzipSync(coded.bytes).toString()).toBe("50");
  });

  test("is used for short responses if the client refuses others", async () => {
    const { port } = await start();
    const coded = await send(port, "/odata/Notes/$count", accept("identity;q=0, gzip"));
    expect([coded.headers["content-encoding"], gunzipSync(coded.bytes).toString()]).toEqual(["gzip", "50"]);
  });

  test("refuses a request that accepts no coding, before it is executed", async () => {
    const { port } = await start();
    writes = 0;
    const headers = { ...accept("identity;q=0, deflate"), "Content-Type": "application/json" };
    const answer = await send(port, "/odata/Notes", headers, "POST", '{"Id":1,"Text":"a","Data":""}');
    expect([answer.status, JSON.parse(answer.bytes.toString()).error, writes]).toEqual([
      406,
      { code: "NotAcceptable", message: expect.stringContaining("Accept-Encoding"), target: "Accept-Encoding" },
      0,
    ]);
    expect(answer.headers["x-request-id"]).toMatch(/./u);
  });

  test("makes strong ETags weak, and accepts them", async () => {
    const { port } = await start();
    const plain = await send(port, "/odata/$metadata");
    const coded = await send(port, "/odata/$metadata", accept("gzip"));
    expect(coded.headers["etag"]).toBe(`W/${String(plain.headers["etag"])}`);
    const again = await send(port, "/odata/$metadata", {
      ...accept("gzip"),
      "If-None-Match": String(coded.headers["etag"]),
    });
    expect([again.status, again.headers["etag"], again.headers["vary"]]).toEqual([
      304,
      coded.headers["etag"],
      `${VARY}, Accept-Encoding`,
    ]);
    const entity = await send(port, "/odata/Notes(1)", accept("gzip"));
    const etag = String(entity.headers["etag"]);
    expect(etag).toMatch(/^W\/"/u);
    const type = { "Content-Type": "application/json", "If-Match": etag };
    expect((await send(port, "/odata/Notes(1)", type, "PATCH", "{}")).status).toBe(200);
  });

  test.each([{ Cookie: "a=b" }, { Authorization: "Basic YTpi" }, { Authorization: "negotiate x" }])(
    "is off for %j, unless the server says otherwise",
    async (credentials) => {
      const { port } = await start();
      for (const path of ["/odata/Notes(1)", "/odata/Notes"]) {
        const answer = await send(port, path, { ...accept("gzip"), ...credentials });
        expect([answer.headers["content-encoding"], answer.headers["vary"]]).toEqual([
          undefined,
          `${VARY}, Accept-Encoding`,
        ]);
      }
      const open = await start({ compression: { credentials: true } });
      const answer = await send(open.port, "/odata/Notes(1)", { ...accept("gzip"), ...credentials });
      expect(answer.headers["content-encoding"]).toBe("gzip");
    },
  );

  test("refuses a request with credentials that accepts only codings", async () => {
    const { port } = await start();
    writes = 0;
    const headers = { ...accept("identity;q=0, gzip"), "Content-Type": "application/json", Cookie: "a=b" };
    const answer = await send(port, "/odata/Notes", headers, "POST", '{"Id":1,"Text":"a","Data":""}');
    const { error } = JSON.parse(answer.bytes.toString());
    expect([answer.status, error.code, error.target, writes]).toEqual([406, "NotAcceptable", "Accept-Encoding", 0]);
    const open = await start({ compression: { credentials: true } });
    const coded = await send(open.port, "/odata/Notes(1)", { ...accept("identity;q=0, gzip"), Cookie: "a=b" });
    expect(coded.headers["content-encoding"]).toBe("gzip");
  });

  test("is on for tokens", async () => {
    const { port } = await start();
    const answer = await send(port, "/odata/Notes(1)", { ...accept("gzip"), Authorization: "Bearer x" });
    expect(answer.headers["content-encoding"]).toBe("gzip");
  });

  test("is off unless the server says so, and compressed bodies stay refused", async () => {
    const { port } = await start({});
    const answer = await send(port, "/odata/Notes", accept("gzip"));
    expect([answer.headers["content-encoding"], answer.headers["vary"]]).toEqual([undefined, VARY]);
    const open = await start();
    const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    expect((await send(open.port, "/odata/Notes", headers, "POST", "x")).status).toBe(415);
  });

  test("passes on each part of a batch before the next is executed", async () => {
    const { port } = await start();
    const body = multipart([{ request: "GET Notes/$count" }, { request: "POST wait" }]);
    const seen: string[] = [];
    const gunzip = createGunzip().on("data", (chunk: Buffer) => {
      seen.push(chunk.toString());
      // The second operation ends only now.
      end("done");
    });
    await new Promise<void>((resolve, reject) => {
      const headers = { ...MULTIPART, ...accept("gzip") };
      const path = "/odata/$batch";
      const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
        expect(response.headers["content-encoding"]).toBe("gzip");
        response.pipe(gunzip).on("end", resolve).on("error", reject);
      });
      sent.end(body);
    });
    expect(seen.join("")).toContain("done");
    expect(seen[0]).toContain("\r\n50");
    expect(seen[0]).not.toContain("done");
  });
});

describe("compression of a long response", () => {
  /** About 100 MB of compressed rows: more than the buffers of sockets keep on any machine. */
  const LENGTH = 50_000;
  const state = { made: 0 };

  /** Entities whose writing can be watched. @param fails whether one of them cannot be written */
  function long(fails = false, options: Partial<ServiceOptions> = {}) {
    state.made = 0;
    const noise = (): string => Array.from({ length: 300 }, () => Math.random().toString(36).slice(2)).join("");
    const rows = Array.from({ length: LENGTH }, (_none, index) => ({
      id: index + 1,
      get text() {
        state.made = index + 1;
        if (fails && index === 2000) throw new Error("a text that fails");
        return noise();
      },
      data: new Uint8Array(0),
    }));
    const defaults = { maxTop: null, maxPageSize: LENGTH };
    return notes({ entitySets: [entitySet(Note, { getAll: () => rows })], defaults, ...options });
  }

  test("waits for a slow client, and ends with it", async () => {
    const { port } = await start({ compression: true, slowReaderTimeout: 300 }, long());
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET /odata/Notes HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
    await untilQuiet(() => state.made);
    expect(state.made).toBeLessThan(LENGTH);
    await pause(600);
    socket.resume();
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    expect(state.made).toBeLessThan(LENGTH);
  });

  test("ends when the client leaves", async () => {
    const { port } = await start({ compression: true }, long());
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /odata/Notes HTTP/1.1\r\nHost: x\r\nAccept-Encoding: zstd, br\r\n\r\n");
    await new Promise<void>((resolve) => {
      socket.once("data", () => resolve());
    });
    socket.destroy();
    await untilQuiet(() => state.made);
    expect(state.made).toBeLessThan(LENGTH);
  });

  test("is cut off if an entity cannot be written", async () => {
    const logger = recordingLogger();
    const service = long(true, { logger });
    const { port } = await start({ compression: true }, service);
    await expect(send(port, "/odata/Notes", accept("gzip"))).rejects.toThrow(/aborted|hang up|reset/u);
    expect(logger.errors.map(({ message }) => message)).toEqual(["A response broke off."]);
  });
});
