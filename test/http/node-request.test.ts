import { once } from "node:events";
import { request as send, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { fromIncomingMessage } from "../../src/hosts/adapters/node-request.ts";
import type { ODataRequest } from "../../src/http/odata-request.ts";

/** Sends one request, and reads it through the adapter while it is open. */
async function readRequest<T>(
  path: string,
  headers: Record<string, string | string[]>,
  read: (request: ODataRequest) => T,
  method = "GET",
): Promise<T> {
  const server = createServer((message, response) => {
    seen(read(fromIncomingMessage(message, response)));
    response.end();
  });
  let seen: (value: T) => void = () => undefined;
  const result = new Promise<T>((resolve) => {
    seen = resolve;
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const client = send({ port, host: "127.0.0.1", path, headers, method });
  client.on("error", () => undefined);
  client.end(method === "GET" ? undefined : "{}");
  try {
    return await result;
  } finally {
    client.destroy();
    server.close();
  }
}

test.each([
  ["/odata/Set?$filter=x", "/odata/Set?$filter=x"],
  ["http://other.example/odata/Set?a=b", "/odata/Set?a=b"],
  ["http://other.example", "/"],
  ["*", "/*"],
  ["/Set('%C3%A3')", "/Set('%C3%A3')"],
])("the target of %s is %s", async (path, target) => {
  expect(await readRequest(path, {}, (request) => request.target)).toBe(target);
});

test("reads scheme, host, headers, body and signal", async () => {
  const seen = await readRequest(
    "/",
    { Host: "api.example:81", "X-Many": ["a", "b"], "Set-Cookie": ["c", "d"] },
    (request) => ({
      scheme: request.scheme,
      host: request.host,
      many: request.header("x-many"),
      cookies: request.header("set-cookie"),
      absent: request.header("x-absent"),
      fetched: request.headers.get("x-many"),
      headers: [request.headers, request.headers],
      hasBody: request.hasBody,
      body: request.readBody(null),
      aborted: request.signal.aborted,
      signals: [request.signal, request.signal],
    }),
  );
  expect(seen.headers[0]).toBe(seen.headers[1]);
  expect(seen.signals[0]).toBe(seen.signals[1]);
  expect(seen).toMatchObject({
    scheme: "http",
    host: "api.example:81",
    many: "a, b",
    cookies: "c, d",
    absent: undefined,
    fetched: "a, b",
    hasBody: false,
    body: new Uint8Array(0),
    aborted: false,
  });
  expect(await readRequest("/", {}, (request) => request.hasBody, "POST")).toBe(true);
});

test("reports a disconnected client with and without the signal", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    for (const isSignalFirst of [false, true]) {
      const client = send({ port, host: "127.0.0.1", path: "/" });
      client.on("error", () => undefined);
      client.end();
      const [message, response] = (await once(server, "request")) as Parameters<typeof fromIncomingMessage>;
      const request = fromIncomingMessage(message, response);
      if (isSignalFirst) expect(request.signal.aborted).toBe(false);
      expect(request.isAborted).toBe(false);
      const closed = once(message.socket, "close");
      client.destroy();
      await closed;
      expect([request.isAborted, request.signal.aborted]).toEqual([true, true]);
    }
  } finally {
    server.close();
  }
});
