import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { action, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Http2Options, serveHttp2 } from "../../examples/http2/serve-http2.ts";
import { noFailures } from "../service/http/model.ts";

const FOLDER = join(import.meta.dirname, "certificates");
const CERT = readFileSync(join(FOLDER, "cert.pem"), "utf8");
const TLS = { cert: CERT, key: readFileSync(join(FOLDER, "key.pem"), "utf8") };

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const LONG = "x".repeat(200_000);
/** The handlers that wait until the test lets them return. */
const held: (() => void)[] = [];

function wait<T>(value: T): Promise<T> {
  return new Promise((resolve) => {
    held.push(() => resolve(value));
  });
}

/** A service whose handlers wait. */
const slow = odataService({
  prefix: "/odata",
  logger: noFailures,
  entitySets: [
    entitySet(Note, {
      getByKey: (id) => wait({ id, text: "a" }),
      create: (note) => note,
      delete: () => wait(true),
    }),
  ],
  functions: {
    long: fn({ returns: edm.string(), handler: () => LONG }),
    echo: fn({ params: { text: edm.string() }, returns: edm.string(), handler: ({ text }) => text }),
  },
  actions: {
    wait: action({
      returns: edm.string(),
      handler: () => wait("done"),
    }),
  },
});

type Options = Partial<Http2Options>;

async function open(): Promise<ClientHttp2Session> {
  const server = await serveHttp2(slow, { port: 0, host: "127.0.0.1", ...TLS });
  const session = connect(server.url, { ca: CERT }).on("error", () => undefined);
  onTestFinished(async () => {
    session.destroy();
    await server.close();
  });
  return session;
}

interface Received {
  /** Undefined if the server reset the stream. */
  readonly status: number | undefined;
  readonly text: string;
}

function send(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<Received> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let [status, text]: [number | undefined, string] = [undefined, ""];
    stream.on("response", (fields) => (status = fields[":status"]));
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    stream.on("error", () => undefined).on("close", () => resolve({ status, text }));
    if (body !== undefined) stream.end(body);
  });
}

const codeOf = ({ status, text }: Received): unknown => [status, JSON.parse(text).error.code];

describe("HTTP/2", () => {
  test("a target with characters that are not ASCII is refused, as in HTTP/1.1", async () => {
    const session = await open();
    const encoded = await send(session, { ":path": "/odata/echo(text='%C3%A9')" });
    expect(encoded).toEqual({ status: 200, text: '"é"' });
    for (const path of ["/odata/echo(text='é')", "/odata/echo?text='\u00c3\u00a9'", "/odata/\u00ff"]) {
      expect(codeOf(await send(session, { ":path": path }))).toEqual([400, "InvalidUrl"]);
    }
  });

  test("a target without a slash is a path", async () => {
    const session = await open();
    const other = await send(session, { ":scheme": "other", ":path": "odata/echo(text='a')" });
    expect(other).toEqual({ status: 200, text: '"a"' });
    const any = await send(session, { ":method": "OPTIONS", ":path": "*" });
    expect(codeOf(any)).toEqual([404, "NotFound"]);
    expect(any.text).toContain('\\"/*\\"');
  });

  test.each([
    ["404", { ":method": "POST", ":path": "/odata/Unknown" }],
    ["415", { ":method": "POST", ":path": "/odata/Notes", "content-type": "text/plain" }],
    ["405 without a body", { ":method": "POST", ":path": "/odata/$metadata" }],
  ])("a response whose request body still arrives ends before its stream is closed: %s", async (_status, headers) => {
    const stream = (await open()).request(headers, { endStream: false }).on("error", () => undefined);
    const events: string[] = [];
    for (const name of ["end", "aborted", "close"]) stream.on(name, () => events.push(name));
    stream.resume().write("{");
    await expect.poll(() => events).toContain("close");
    expect(events[0]).toBe("end");
  });

  test("many long responses of one connection are sent at the same time", async () => {
    const session = await open();
    await send(session, { ":path": "/odata/echo(text='a')" });
    const answers = await Promise.all(Array.from({ length: 90 }, () => send(session, { ":path": "/odata/long" })));
    expect(new Set(answers.map(({ status, text }) => `${String(status)} ${String(text.length)}`))).toEqual(
      new Set([`200 ${String(LONG.length + 2)}`]),
    );
  });

  test("a client may give up 150 responses before their end", async () => {
    const session = await open();
    expect(await giveUp(session, 150)).toBe(150);
    expect((await send(session, { ":path": "/odata/long" })).text.length).toBe(LONG.length + 2);
  });

  test("a client that gives up more responses is disconnected", async () => {
    const session = await open();
    const begun = performance.now();
    const given = await giveUp(session, 2000);
    const seconds = (performance.now() - begun) / 1000;
    expect(given).toBeGreaterThan(150);
    expect(given).toBeLessThan(250 + 10 * seconds);
  });
});

/** Gives up responses that have begun, ten at a time. Returns how many the server allowed. */
async function giveUp(session: ClientHttp2Session, most: number): Promise<number> {
  const giveUpOne = async (): Promise<void> => {
    const stream = session.request({ ":path": "/odata/long" }).on("error", () => undefined);
    await new Promise((resolve) => {
      stream.once("response", resolve).once("close", resolve);
    });
    stream.close(constants.NGHTTP2_CANCEL);
  };
  let count = 0;
  for (; count < most && !session.destroyed && !session.closed; count += 10) {
    await Promise.all(Array.from({ length: 10 }, giveUpOne));
  }
  return count;
}

describe("close() of a server of HTTP/2", () => {
  /** The preface of a client, its settings, and the acknowledgement of those of the server. @see RFC 9113, section 3.4 */
  const PREFACE = Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
    Buffer.from([0, 0, 0, 4, 1, 0, 0, 0, 0]),
  ]);
  /** A GET as the first stream. @see RFC 7541, section 6 */
  const requestOf = (path: string): Buffer => {
    const fields = [0x82, 0x87, 0x04, path.length, ...Buffer.from(path), 0x41, 1, ...Buffer.from("x")];
    return Buffer.from([0, 0, fields.length, 1, 5, 0, 0, 0, 1, ...fields]);
  };

  /** A client that reads everything, and never closes its side. */
  async function hold(options: Options, sent: Buffer) {
    const server = await serveHttp2(slow, { port: 0, host: "127.0.0.1", ...TLS, drainTimeout: 300, ...options });
    const socket = connectTls({
      socket: connectTcp({ port: server.port, host: "127.0.0.1", allowHalfOpen: true }),
      ca: CERT,
      ALPNProtocols: ["h2"],
      checkServerIdentity: () => undefined,
    });
    onTestFinished(() => void socket.destroy());
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk]))).on("error", () => undefined);
    socket.write(sent);
    await expect.poll(() => received.length).toBeGreaterThan(0);
    return { server, socket, has: (text: string) => received.includes(text) };
  }

  test("does not wait for an idle client that ignores GOAWAY", async () => {
    const { server } = await hold({}, PREFACE);
    await server.close();
  });

  test("does not wait for such a client after its request", async () => {
    const { server, has } = await hold({}, Buffer.concat([PREFACE, requestOf("/odata/echo(text='a')")]));
    await expect.poll(() => has('"a"')).toBe(true);
    await server.close();
  });

  test("waits for a request under way, and then only for drainTimeout", async () => {
    held.length = 0;
    const sent = Buffer.concat([PREFACE, requestOf("/odata/Notes(1)")]);
    const { server, has } = await hold({}, sent);
    await expect.poll(() => held.length).toBe(1);
    const closing = server.close();
    for (const give of held.splice(0)) give();
    await closing;
    expect(has('"Text":"a"')).toBe(true);
  });
});

test("a client that is silent is disconnected after idleTimeout, also before its first request", async () => {
  const server = await serveHttp2(slow, { port: 0, host: "127.0.0.1", ...TLS, idleTimeout: 300 });
  onTestFinished(() => server.close());
  const silent = connectTls({ port: server.port, host: "127.0.0.1", ca: CERT, ALPNProtocols: ["h2"] });
  const session = connect(server.url, { ca: CERT });
  const closed = [silent, session].map(
    (each) =>
      new Promise<void>((resolve) => {
        each.on("error", () => undefined).once("close", () => resolve());
      }),
  );
  silent.resume();
  expect((await send(session, { ":path": "/odata/echo(text='a')" })).status).toBe(200);
  await Promise.all(closed);
});

test("a client of HTTP/1.1 that reads no response is disconnected after idleTimeout", async () => {
  const server = await serveHttp2(slow, { port: 0, host: "127.0.0.1", ...TLS, idleTimeout: 300, drainTimeout: 60_000 });
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: CERT, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => undefined).pause();
  onTestFinished(() => void socket.destroy());
  // More than the buffers of the system hold.
  socket.write("GET /odata/long HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200));
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
  const begun = performance.now();
  await server.close();
  expect(performance.now() - begun).toBeLessThan(30_000);
});
