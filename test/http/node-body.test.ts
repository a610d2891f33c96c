import { once } from "node:events";
import { request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { serve } from "odatakit/node";
import { afterEach, expect, test } from "vitest";
import { isODataError } from "../../src/base/errors/odata-error.ts";
import type { ODataRequest } from "../../src/http/odata-request.ts";
import type { ODataResponse } from "../../src/http/odata-response.ts";
import { checkContentHeaders } from "../../src/http/read-json-body.ts";

/** Bodies over real connections: limits, `Expect`, and how the connection ends. */

const LIMIT = 10;
const Thing = entityType("Thing", { id: edm.int32().key() });
const plain = odataService({ entitySets: [entitySet(Thing, { getAll: () => [] })] });

/** Returns the body that it received. */
async function echo(request: ODataRequest): Promise<ODataResponse> {
  try {
    checkContentHeaders(request, LIMIT);
    const bytes = await request.readBody(LIMIT);
    return { status: 200, headers: { "OData-Version": "4.0" }, body: new TextDecoder().decode(bytes) };
  } catch (error) {
    if (!isODataError(error)) throw error;
    return { status: error.status, headers: { "OData-Version": "4.0" }, body: error.code };
  }
}

const closers: Array<() => unknown> = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function start(): Promise<number> {
  const server = await serve({ ...plain, handle: echo }, { port: 0, host: "127.0.0.1" });
  closers.push(() => server.close());
  return server.port;
}

/** Opens a connection, and records all bytes received on it. */
async function open(head: readonly string[]): Promise<{ readonly socket: Socket; readonly received: () => string }> {
  const socket = connect(await start(), "127.0.0.1");
  closers.push(() => socket.destroy());
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined);
  socket.write(`POST /Things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${head.join("\r\n")}\r\n\r\n`);
  return { socket, received: () => text };
}

async function until(socket: Socket, isSeen: () => boolean): Promise<void> {
  while (!isSeen()) await once(socket, "data");
}

test("sends 100 Continue when it reads the body", async () => {
  const { socket, received } = await open(["Expect: 100-continue", "Content-Length: 2", "Connection: close"]);
  await until(socket, () => received().includes("\r\n\r\n"));
  expect(received()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  socket.write("{}");
  await once(socket, "close");
  expect(received().split("\r\n\r\n").slice(1)).toEqual([expect.stringMatching(/^HTTP\/1.1 200 OK\r\n/u), "{}"]);
});

test("does not request a body that its headers rule out", async () => {
  const { socket, received } = await open(["Expect: 100-continue", "Content-Length: 11"]);
  await once(socket, "end");
  expect(received()).toMatch(/^HTTP\/1.1 413 [^]*\r\nConnection: close\r\n[^]*\r\n\r\nPayloadTooLarge$/u);
});

test.each([
  ["of a known length", ["Content-Length: 50000000"], ""],
  ["in chunks", ["Transfer-Encoding: chunked"], "2faf080\r\n"],
])("sends the response and closes the connection for a body above the limit, %s", async (_, head, start) => {
  const { socket, received } = await open(head);
  socket.write(start);
  // Larger than all buffers on the way: nothing would send it unless the server read it.
  socket.write(new Uint8Array(49_999_999));
  await once(socket, "close");
  expect(received()).toMatch(/^HTTP\/1.1 413 [^]*\r\nConnection: close\r\n[^]*\r\n\r\nPayloadTooLarge$/u);
});

test("keeps the connection open after a body within the limit", async () => {
  const port = await start();
  const sent = send({ port, method: "POST", path: "/Things", headers: { "Content-Type": "application/json" } });
  sent.end("{}");
  const [answer] = (await once(sent, "response")) as [{ headers: Record<string, string>; resume(): void }];
  answer.resume();
  expect(answer.headers["connection"]).toBe("keep-alive");
  sent.destroy();
});

test("serves the next client after a disconnect within a body", async () => {
  const { socket, received } = await open(["Content-Length: 10"]);
  socket.write("{");
  socket.resetAndDestroy();
  await once(socket, "close");
  const next = await open(["Content-Length: 2", "Connection: close"]);
  next.socket.write("{}");
  await once(next.socket, "close");
  expect(received()).toBe("");
  expect(next.received()).toMatch(/^HTTP\/1.1 200 /u);
});

test("rejects a body that is shorter than announced", async () => {
  const { socket, received } = await open(["Content-Length: 10"]);
  socket.end("{}");
  await once(socket, "close");
  expect(received()).not.toMatch(/^HTTP\/1.1 2/u);
});
