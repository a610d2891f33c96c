import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { request } from "node:https";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { type Http2Options, serveHttp2 } from "../../examples/http2/serve-http2.ts";
import { VARY } from "../service/http/doors.ts";
import { noFailures } from "../service/http/model.ts";

const FOLDER = join(import.meta.dirname, "certificates");
const CERT = readFileSync(join(FOLDER, "cert.pem"), "utf8");
const KEY = readFileSync(join(FOLDER, "key.pem"), "utf8");
const TLS = { cert: CERT, key: KEY };

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const TEXT = "words that repeat. ".repeat(100);
const state = { aborted: 0, calls: 0 };

/** The handler returns entities with this key and greater ones when the test says so. */
const HELD = 100;
const held: (() => void)[] = [];

/** Lets the handler return the entities that it holds. */
function release(): void {
  for (const give of held.splice(0)) give();
}

/** Waits until the handler holds so many entities. */
async function untilHeld(count: number): Promise<void> {
  await expect.poll(() => held.length).toBe(count);
}

const notes = odataService({
  prefix: "/odata",
  logger: noFailures,
  defaults: { maxRequestBodyBytes: 1000 },
  cors: { origins: ["https://app.example"] },
  entitySets: [
    entitySet(Note, {
      getByKey: (id, { signal }) => {
        state.calls += 1;
        signal.addEventListener("abort", () => {
          state.aborted += 1;
        });
        const note = { id, text: TEXT };
        if (id < HELD) return note;
        return new Promise((resolve) => {
          held.push(() => resolve(note));
        });
      },
      getAll: () => [{ id: 1, text: TEXT }],
      create: (note) => note,
    }),
  ],
});

afterEach(release);

async function start(options: Partial<Http2Options> = {}) {
  const server = await serveHttp2(notes, { port: 0, host: "127.0.0.1", ...TLS, ...options });
  onTestFinished(() => server.close());
  return server;
}

function open(port: number): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${String(port)}`, { ca: CERT });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The preface of an HTTP/2 connection, and empty settings. */
const PREFACE = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, Buffer.alloc(0))]);

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
// `:method: GET` and `:scheme: https` of the static table, then `:path` and `:authority` with literal values.
const FIELDS = Buffer.concat([
  Buffer.from([0x82, 0x87, 0x04]),
  text("/odata/Notes(500)"),
  Buffer.from([0x01]),
  text("127.0.0.1"),
]);

/** A request without a body (HEADERS), and the end of the client's interest in it (RST_STREAM with CANCEL). */
const givenUp = (stream: number): Buffer =>
  Buffer.concat([frame(1, 0x05, stream, FIELDS), frame(3, 0, stream, Buffer.from([0, 0, 0, 8]))]);

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

function send(session: ClientHttp2Session, path: string, headers: object = {}, body?: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path, ...headers }, { endStream: body === undefined });
    const chunks: Buffer[] = [];
    let received: IncomingHttpHeaders = {};
    stream.on("response", (fields) => (received = fields));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
    stream.on("end", () => {
      resolve({ status: Number(received[":status"]), headers: received, bytes: Buffer.concat(chunks) });
    });
    if (body !== undefined) stream.end(body);
  });
}

const JSON_TYPE = { ":method": "POST", "content-type": "application/json" };

describe("TLS", () => {
  test("serves HTTP/1.1", async () => {
    const server = await start();
    expect(server.url).toBe(`https://127.0.0.1:${String(server.port)}`);
    const text = await new Promise<string>((resolve, reject) => {
      request(`${server.url}/odata/Notes/$count`, { ca: CERT, agent: false }, (response) => {
        expect([response.statusCode, response.httpVersion]).toEqual([200, "1.1"]);
        response.on("data", (chunk: Buffer) => resolve(chunk.toString()));
      })
        .on("error", reject)
        .end();
    });
    expect(text).toBe("1");
  });
});

describe("HTTP/2", () => {
  test("has the same responses as HTTP/1.1", async () => {
    const { port } = await start();
    const session = open(port);
    const count = await send(session, "/odata/Notes/$count", { origin: "https://app.example" });
    expect([count.status, count.bytes.toString()]).toEqual([200, "1"]);
    expect(count.headers).toMatchObject({
      "odata-version": "4.0",
      "content-length": "1",
      vary: `${VARY}, Origin`,
      "access-control-allow-origin": "https://app.example",
    });
    const created = await send(session, "/odata/Notes", JSON_TYPE, '{"Id":7,"Text":"new"}');
    expect([created.status, created.headers.location]).toEqual([
      201,
      `https://127.0.0.1:${String(port)}/odata/Notes(7)`,
    ]);
    const missing = await send(session, "/odata/Nothing");
    expect([missing.status, JSON.parse(missing.bytes.toString()).error.code]).toEqual([404, "NotFound"]);
    const head = await send(session, "/odata/Notes(0)", { ":method": "HEAD" });
    expect([head.status, head.bytes.length, Number(head.headers["content-length"]) > 1000]).toEqual([200, 0, true]);
    const hosts = await send(session, "/odata/Notes", { ":authority": "a.example", host: "b.example" });
    expect([hosts.status, JSON.parse(hosts.bytes.toString()).error.target]).toEqual([400, "Host"]);
  });

  test("many requests of one connection run at the same time", async () => {
    const { port } = await start();
    const session = open(port);
    const answers = Promise.all(Array.from({ length: 80 }, () => send(session, "/odata/Notes(300)")));
    await untilHeld(80);
    release();
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200]));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  });

  test("a body above the limit is refused, and the connection goes on until the server closes", async () => {
    const server = await start();
    const session = open(server.port);
    const declared = await send(session, "/odata/Notes", JSON_TYPE, `{"Id":1,"Text":"${"x".repeat(2_000_000)}"}`);
    expect([declared.status, JSON.parse(declared.bytes.toString()).error.code]).toEqual([413, "PayloadTooLarge"]);
    expect((await send(session, "/odata/Notes/$count")).status).toBe(200);
    // The refused upload occupies the connection no longer.
    await server.close();
  });

  test("a request that the client gives up is aborted", async () => {
    const { port } = await start();
    const session = open(port);
    state.aborted = 0;
    const stream = session.request({ ":path": "/odata/Notes(3000)" });
    stream.on("error", () => undefined);
    await untilHeld(1);
    stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => state.aborted).toBe(1);
    expect((await send(session, "/odata/Notes/$count")).status).toBe(200);
  });

  test("a client that only begins requests and gives them up is disconnected", async () => {
    const { port } = await start();
    const socket = connectTls({ port, host: "127.0.0.1", ca: CERT, ALPNProtocols: ["h2"] });
    const closed = new Promise<void>((resolve) => {
      socket.on("error", () => undefined).once("close", () => resolve());
    });
    // One write: a client of Node.js leaves out requests that it gives up before they are written.
    socket
      .resume()
      .write(Buffer.concat([PREFACE, ...Array.from({ length: 1200 }, (_, each) => givenUp(each * 2 + 1))]));
    await closed;
    expect((await send(open(port), "/odata/Notes/$count")).status).toBe(200);
  });

  test("close() finishes requests, and ends connections", async () => {
    const server = await start({ drainTimeout: 2000 });
    const session = open(server.port);
    const idle = open(server.port);
    await send(idle, "/odata/Notes/$count");
    const handshake = connectSocket(server.port, "127.0.0.1");
    handshake.on("error", () => undefined);
    const slow = send(session, "/odata/Notes(1000)");
    await untilHeld(1);
    const closing = server.close();
    release();
    expect((await slow).status).toBe(200);
    await closing;
  });

  test("close() ends the connection of a client that never closes its side", async () => {
    const server = await start({ drainTimeout: 300 });
    // The types of Node.js lack `allowHalfOpen`.
    const options = { port: server.port, ca: CERT, ALPNProtocols: ["h2"], allowHalfOpen: true };
    const silent = connectTls(options);
    silent.on("error", () => undefined);
    onTestFinished(() => void silent.destroy());
    // The preface of the client, with settings that name none.
    silent.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    silent.write(Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0));
    await new Promise((resolve) => {
      silent.once("data", resolve);
    });
    silent.resume();
    await server.close();
  });

  test("close() ends after drainTimeout", async () => {
    const server = await start({ drainTimeout: 300 });
    const stream = open(server.port).request({ ":path": "/odata/Notes(5000)" });
    stream.on("error", () => undefined);
    await untilHeld(1);
    await server.close();
  });
});
