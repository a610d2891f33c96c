import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import { edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { serve, toNodeHandler } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";
import { noFailures } from "./model.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));

const Note = entityType("Note", { id: edm.int32().key() });
const notes = (options: Partial<ServiceOptions> = {}) =>
  odataService({ prefix: "/s", logger: noFailures, entitySets: [entitySet(Note, { getAll: () => [] })], ...options });

/** Sends lines as they are. @returns status and body */
function exchange(port: number, lines: readonly string[]): Promise<readonly [number, string]> {
  return exchangeOver(connect(port, "127.0.0.1"), lines);
}

async function exchangeOver(socket: Duplex, lines: readonly string[]): Promise<readonly [number, string]> {
  const text = await new Promise<string>((resolve) => {
    let received = "";
    socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("utf8")));
    socket.on("close", () => resolve(received));
  });
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return [Number(head.slice(9, 12)), body];
}

async function start(options?: Partial<ServiceOptions>): Promise<number> {
  const server = await serve(notes(options), { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  return server.port;
}

const context = (root: string): string => `{"@odata.context":"${root}/$metadata#Notes","value":[]}`;

test.each<[string, readonly string[]]>([
  ["that are equal", ["Host: a.example", "Host: a.example"]],
  ["that differ", ["Host: a.example", "host: b.example"]],
  ["none", []],
  ["that is empty", ["Host:"]],
])("Host headers %s are 400, whatever the base of URLs is", async (_what, headers) => {
  for (const options of [{}, { publicUrl: "https://public.example" }, { trustProxy: true }]) {
    const port = await start(options);
    for (const target of ["/s/Notes", "/nowhere", "http://a.example/s/Notes"]) {
      const [status, body] = await exchange(port, [
        `GET ${target} HTTP/1.1`,
        ...headers,
        "X-Forwarded-Host: p.example",
      ]);
      expect([status, JSON.parse(body)], target).toEqual([
        400,
        { error: { code: "InvalidUrl", message: expect.stringMatching(/^The Host header/u), target: "Host" } },
      ]);
    }
  }
});

test.each(["a.example, b.example", "a.example/x", "user@a.example"])("the Host %s is none: 400", async (host) => {
  for (const options of [{}, { publicUrl: "https://public.example" }]) {
    expect((await exchange(await start(options), ["GET /s/Notes HTTP/1.1", `Host: ${host}`]))[0]).toBe(400);
  }
});

test.each([
  ["/s/Notes", "http://h.example:81/s"],
  ["http://a.example/s/Notes", "http://a.example/s"],
  ["http://a.example:82/s/Notes?", "http://a.example:82/s"],
  ["HTTPS://a.example/s/Notes", "https://a.example/s"],
])("the authority of the target %s wins over Host", async (target, root) => {
  expect(await exchange(await start(), [`GET ${target} HTTP/1.1`, "Host: h.example:81"])).toEqual([200, context(root)]);
});

test("an authority with credentials is 400, and one without a path is the root", async () => {
  const port = await start({ prefix: "" });
  expect((await exchange(port, ["GET http://u:p@a.example/Notes HTTP/1.1", "Host: a.example"]))[0]).toBe(400);
  const [status, body] = await exchange(port, ["GET http://a.example?$format=a/b HTTP/1.1", "Host: a.example"]);
  expect([status, JSON.parse(body).error.target]).toEqual([400, "$format"]);
  expect((await exchange(port, ["GET http://a.example HTTP/1.1", "Host: a.example"]))[0]).toBe(200);
});

test("HTTP/1.0 needs no Host", async () => {
  const port = await start();
  const [status, body] = await exchange(port, ["GET /s/Notes HTTP/1.0"]);
  expect([status, body]).toEqual([200, context(`http://127.0.0.1:${String(port)}/s`)]);
  const absolute = await exchange(port, ["GET http://a.example:82/s/Notes HTTP/1.0"]);
  expect(absolute).toEqual([200, context("http://a.example:82/s")]);
});

test.runIf(hasIpv6)("HTTP/1.0 over IPv6 needs no Host", async () => {
  const server = await serve(notes(), { port: 0, host: "::1" });
  onTestFinished(() => server.close());
  const answer = await exchangeOver(connect(server.port, "::1"), ["GET /s/Notes HTTP/1.0"]);
  expect(answer).toEqual([200, context(`http://[::1]:${String(server.port)}/s`)]);
});

test.skipIf(process.platform === "win32")("HTTP/1.0 over a Unix socket needs no Host", async () => {
  const folder = await mkdtemp(join(tmpdir(), "odatakit-"));
  const path = join(folder, "http.sock");
  const server = createServer(toNodeHandler(notes())).listen(path);
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const answer = await exchangeOver(connect(path), ["GET /s/Notes HTTP/1.0"]);
  expect(answer).toEqual([200, context("http://localhost/s")]);
});

test("URLs begin with https over TLS", async () => {
  // A key that both sides know: no certificate is needed.
  const psk = Buffer.from("a key of a test");
  const settings = { ciphers: "PSK-AES128-GCM-SHA256", maxVersion: "TLSv1.2" } as const;
  const server = createSecureServer({ ...settings, pskCallback: () => psk }, toNodeHandler(notes()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const pskCallback = () => ({ psk, identity: "test" });
  const socket = connectSecurely({ ...settings, port, pskCallback, checkServerIdentity: () => undefined });
  expect(await exchangeOver(socket, ["GET /s/Notes HTTP/1.1", "Host: a.example"])).toEqual([
    200,
    context("https://a.example/s"),
  ]);
});

test("several Host headers are 400 in HTTP/1.0, too", async () => {
  const port = await start();
  for (const headers of [
    ["Host:", "Host: a.example"],
    ["Host: a.example", "Host:"],
    ["Host:", "Host:"],
  ]) {
    expect((await exchange(port, ["GET /s/Notes HTTP/1.0", ...headers]))[0]).toBe(400);
  }
});

const OWN = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";

test.each<[string, string | readonly string[] | undefined, string, string | null]>([
  ["none", undefined, "/s/Notes", OWN],
  ["a name", "Origin", "/s/Notes", `Origin, ${OWN}`],
  ["names in several values", ["Origin", "Cookie, accept"], "/s/Notes", `Origin, Cookie, accept, ${OWN.slice(8)}`],
  ["every name", "*", "/s/Notes", "*"],
  ["a name, for an error", "Origin", "/s/Nowhere", "Origin"],
])("Vary of the host application is kept: %s", async (_what, value, path, expected) => {
  const listener = toNodeHandler(notes());
  const server = createServer((request, response) => {
    if (value !== undefined) response.setHeader("Vary", value);
    response.setHeader("Access-Control-Allow-Origin", "https://app.example");
    response.setHeader("Set-Cookie", ["a=1", "b=2"]);
    listener(request, response);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${String(port)}${path}`, { headers: { Connection: "close" } });
  expect(headers.get("vary")).toBe(expected);
  expect(headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});

test("headers of a Fetch response can be added to", async () => {
  const response = await notes().fetch(new Request("http://h.example/s/Notes"));
  response.headers.append("Vary", "Origin");
  expect(response.headers.get("vary")).toBe(`${OWN}, Origin`);
});
