import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, createServer as createServer2, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";
import { batchBody, JSON_TYPE, listen, orderService } from "./hosts.ts";

/** Returns the values that a log of requests reads when a response has been sent. */
function logged(response: ServerResponse | Http2ServerResponse): readonly unknown[] {
  const names = ["Content-Type", "content-length", "OData-Version", "Location", "X-Request-Id"];
  return [response.statusCode, ...names.map((name) => response.getHeader(name))];
}

const JSON_FORM = "application/json;odata.metadata=minimal";

test("are on the response once it has been sent, as logs of requests read them", async () => {
  const { service } = orderService({ defaults: { maxRequestBodyBytes: 150 } });
  const lines: unknown[] = [];
  const handle = toNodeHandler(service);
  const root = await listen((request, response) => {
    response.on("finish", () => lines.push(logged(response)));
    handle(request, response);
  });
  const send = async (path: string, init: RequestInit = {}): Promise<readonly unknown[]> => {
    const headers = { ...(init.headers as Record<string, string> | undefined), "X-Request-Id": "r" };
    const response = await fetch(root + path, { ...init, headers });
    await response.arrayBuffer();
    await expect.poll(() => lines.length).toBe(1);
    const [line] = lines.splice(0) as ReadonlyArray<readonly unknown[]>;
    const { headers: had } = response;
    const names = ["content-type", "content-length", "odata-version", "location", "x-request-id"];
    expect(line).toEqual([response.status, ...names.map((name) => had.get(name) ?? undefined)]);
    return line ?? [];
  };
  expect(await send("/odata/Orders(1)")).toEqual([200, JSON_FORM, expect.any(String), "4.0", undefined, "r"]);
  expect((await send("/odata/Orders?$filter=Nam eq 1"))[0]).toBe(400);
  expect((await send("/odata/Orders"))[0]).toBe(200);
  expect((await send("/odata/Orders", { method: "HEAD" }))[0]).toBe(200);
  expect(await send("/odata/Orders", { method: "POST", headers: JSON_TYPE, body: '{"Id":9,"Name":"a"}' })).toEqual([
    201,
    JSON_FORM,
    expect.any(String),
    "4.0",
    `${root}/odata/Orders(9)`,
    "r",
  ]);
  const batch = { "Content-Type": "multipart/mixed; boundary=b" };
  const body = batchBody(["GET Orders(1)"]);
  expect((await send("/odata/$batch", { method: "POST", headers: batch, body })).slice(0, 2)).toEqual([
    200,
    expect.stringContaining("multipart/mixed"),
  ]);
  const long = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ Id: 8, Name: "x".repeat(200) }) };
  expect((await send("/odata/Orders", long))[0]).toBe(413);
});

test("are on the response of HTTP/2, too", async () => {
  const handle = toNodeHandler(orderService().service);
  const lines: unknown[] = [];
  const server = createServer2((request, response) => {
    response.on("finish", () => lines.push(logged(response)));
    handle(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  onTestFinished(() => {
    client.close();
    server.close();
  });
  const stream = client.request({ ":path": "/odata/Orders(1)", "x-request-id": "r" });
  await once(stream.resume(), "end");
  await expect.poll(() => lines).toEqual([[200, JSON_FORM, expect.any(String), "4.0", undefined, "r"]]);
});
