import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { action, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { serve, type ServeOptions } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { passTime, stopTimers, until } from "../../timers.ts";
import { noFailures } from "./model.ts";

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

async function open(options: ServeOptions = {}): Promise<ClientHttp2Session> {
  const server = await serve(slow, { port: 0, host: "127.0.0.1", tls: TLS, ...options });
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

describe("requestTimeout of HTTP/2", () => {
  test.each([
    ["POST", "/odata/wait", 200],
    ["DELETE", "/odata/Notes(1)", 204],
    ["GET", "/odata/Notes(1)", 200],
  ])("%s %s may take longer, if its body has arrived and is not read", async (method, path, status) => {
    stopTimers();
    const session = await open({ requestTimeout: 2000 });
    const headers = { ":method": method, ":path": path, "content-type": "application/json" };
    const answer = send(session, headers, "{}");
    await until(() => held.length > 0);
    expect(held).toHaveLength(1);
    // The body has arrived before the next request of the connection.
    expect((await send(session, { ":path": "/odata/echo(text='a')" })).status).toBe(200);
    await passTime(2000);
    for (const give of held.splice(0)) give();
    expect((await answer).status).toBe(status);
    expect(held).toEqual([]);
  });

  test("covers an incomplete body that the service does not read", async () => {
    const session = await open({ requestTimeout: 2000 });
    const stream = session.request({ ":method": "POST", ":path": "/odata/wait", "content-type": "application/json" });
    stream.on("error", () => undefined).write("{");
    const status = await new Promise((resolve) => {
      stream.on("response", (fields) => resolve(fields[":status"]));
    });
    expect(status).toBe(408);
  });
});

describe("HTTP/2", () => {
  test.each([17_000, 40_000])("headers of %d bytes are 431 on a connection that is in use", async (length) => {
    const session = await open();
    const echo = { ":path": "/odata/echo(text='a')" };
    for (let round = 0; round < 2; round += 1) {
      expect(await send(session, echo)).toEqual({ status: 200, text: '"a"' });
      expect(codeOf(await send(session, { ...echo, "x-long": "x".repeat(length) }))).toEqual([431, "HeadersTooLarge"]);
    }
  });

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

  test("CONNECT and unknown expectations are requests as others, with the responses of the service", async () => {
    const session = await open();
    expect(codeOf(await send(session, { ":method": "CONNECT", ":authority": "a.example" }))).toEqual([404, "NotFound"]);
    const other = await send(session, { ":path": "/odata/echo(text='a')", expect: "a-miracle" });
    expect(other).toEqual({ status: 200, text: '"a"' });
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

  /** A frame of eight zeros for the whole connection. @see RFC 9113, section 4.1 */
  const frameOf = (type: number): Buffer => Buffer.from([0, 0, 8, type, 0, 0, 0, 0, 0, ...new Uint8Array(8)]);
  const PING = frameOf(6);

  /** A client that reads everything, and never closes its side. */
  async function hold(options: ServeOptions, sent: Buffer) {
    const server = await serve(slow, { port: 0, host: "127.0.0.1", tls: TLS, drainTimeout: null, ...options });
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

  test("waits for a request under way, and then only for keepAliveTimeout", async () => {
    held.length = 0;
    const sent = Buffer.concat([PREFACE, requestOf("/odata/Notes(1)")]);
    const { server, has } = await hold({ keepAliveTimeout: 100 }, sent);
    await expect.poll(() => held.length).toBe(1);
    const closing = server.close();
    for (const give of held.splice(0)) give();
    await closing;
    expect(has('"Text":"a"')).toBe(true);
  });

  test("ends after a request under way, also without keepAliveTimeout", async () => {
    held.length = 0;
    const sent = Buffer.concat([PREFACE, requestOf("/odata/Notes(1)")]);
    const { server, has } = await hold({ keepAliveTimeout: null, slowReaderTimeout: 100 }, sent);
    await expect.poll(() => held.length).toBe(1);
    const closing = server.close();
    for (const give of held.splice(0)) give();
    await closing;
    expect(has('"Text":"a"')).toBe(true);
  });

  test("a client that sends GOAWAY and keeps its side open is closed after keepAliveTimeout", async () => {
    const sent = Buffer.concat([PREFACE, requestOf("/odata/echo(text='a')"), frameOf(7)]);
    const { socket, has } = await hold({ keepAliveTimeout: 100 }, sent);
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    await expect.poll(() => has('"a"')).toBe(true);
    // A server that has only closed its own side ignores the frames of the client.
    const pings = setInterval(() => socket.write(PING), 50);
    onTestFinished(() => clearInterval(pings));
    await closed;
  });
});
