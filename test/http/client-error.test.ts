import { connect } from "node:net";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: RunningServer;

beforeAll(async () => {
  const Item = entityType("Item", { id: edm.int32().key() });
  server = await serve(odataService({ entitySets: [entitySet(Item, { getAll: () => [] })] }), { port: 0 });
});
afterAll(() => server.close());

function exchange(request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(server.port, "localhost", () => socket.write(Buffer.from(request, "latin1")));
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("close", () => resolve(text));
  });
}

test.each([
  [
    "octets beyond ASCII in the URL",
    "GET /Items('\u00e3') HTTP/1.1\r\nHost: x\r\n\r\n",
    "400 Bad Request",
    "InvalidUrl",
  ],
  ["no HTTP at all", "hello\r\n\r\n", "400 Bad Request", "InvalidUrl"],
  [
    "headers without end",
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(70_000)}\r\n\r\n`,
    "431 Request Header Fields",
    "HeadersTooLarge",
  ],
])("responds to %s with the error envelope", async (_name, request, status, code) => {
  const answer = await exchange(request);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${status}`);
  expect(head.match(/OData-Version: 4\.0/g)).toHaveLength(1);
  expect(head).toContain("Content-Language: en");
  const { error } = JSON.parse(body) as { error: { code: string; message: string } };
  expect(error.code).toBe(code);
  expect(error.message).not.toBe("");
});
