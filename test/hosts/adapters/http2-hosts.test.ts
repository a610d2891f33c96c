import { once } from "node:events";
import {
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { fastify } from "fastify";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { toFastifyPlugin } from "odatakit/fastify";
import { toNodeHandler } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { untilQuiet } from "./hosts.ts";

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

/** A service with large pages, whose user is named by a header. @param written counts the entities that are written */
function service(written = { count: 0 }) {
  const items = Array.from({ length: 50_000 }, (_none, id) => ({
    id,
    get name() {
      written.count += 1;
      return "Lamp".repeat(100);
    },
  }));
  return odataService({
    defaults: { maxTop: null, maxPageSize: 50_000, maxRequestBodyBytes: 1000 },
    authenticate: ({ headers }) => ({ id: headers.get("x-user") ?? "" }),
    entitySets: [
      entitySet(Item, {
        getAll: () => items,
        getByKey: (id, context) => ({ id, name: (context.user as { readonly id: string }).id }),
        create: (item) => item,
      }),
    ],
  });
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Serves over HTTP/2 without TLS. @returns how to send a request, and how to begin one */
async function served(made = service(), prepare: (response: Http2ServerResponse) => void = () => undefined) {
  const handler = toNodeHandler(made);
  const server = createServer((request, response) => {
    prepare(response);
    handler(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${String(port)}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const begin = (headers: Record<string, string>, body?: string): ClientHttp2Stream => {
    const stream = session.request({ ":authority": "items.example", ...headers }, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    return stream;
  };
  const send = async (headers: Record<string, string>, body?: string): Promise<Answer> => {
    const stream = begin(headers, body);
    const [received] = (await once(stream, "response")) as [IncomingHttpHeaders];
    return { headers: received, text: await textOf(stream) };
  };
  return { begin, send };
}

describe("toNodeHandler on a server of node:http2", () => {
  test("finds host, headers and user of a request", async () => {
    const { send } = await served();
    const { headers, text } = await send({ ":path": "/Items(7)", "x-user": "ada" });
    expect(headers).toMatchObject({ ":status": 200, "odata-version": "4.0", "content-length": String(text.length) });
    expect(JSON.parse(text)).toEqual({
      "@odata.context": "http://items.example/$metadata#Items/$entity",
      "@odata.id": "http://items.example/Items(7)",
      Id: 7,
      Name: "ada",
    });
  });

  test("keeps the headers that the host has set, and joins Vary", async () => {
    const { send } = await served(service(), (response) => {
      response.setHeader("X-Own", "a");
      response.setHeader("Vary", "X-Own");
    });
    const { headers } = await send({ ":path": "/Items(7)" });
    expect([headers[":status"], headers["x-own"]]).toEqual([200, "a"]);
    expect(headers.vary?.split(", ")).toEqual(expect.arrayContaining(["X-Own", "Accept"]));
  });

  test("reads a body without a length, and refuses one above the limit", async () => {
    const { send } = await served();
    const posted = { ":path": "/Items", ":method": "POST", "content-type": "application/json" };
    const created = await send(posted, '{"Id":2,"Name":"Lamp"}');
    expect(created.headers).toMatchObject({ ":status": 201, location: "http://items.example/Items(2)" });
    const refused = await send(posted, JSON.stringify({ Id: 2, Name: "x".repeat(2000) }));
    expect(refused.headers[":status"]).toBe(413);
    expect(refused.text).toContain('"code":"PayloadTooLarge"');
  });

  test("writes a large page while it is sent, and ends it when the client leaves", async () => {
    const written = { count: 0 };
    const { begin, send } = await served(service(written));
    const { headers, text } = await send({ ":path": "/Items" });
    expect(headers).toMatchObject({ ":status": 200, "content-type": "application/json;odata.metadata=minimal" });
    expect((JSON.parse(text) as { readonly value: readonly unknown[] }).value).toHaveLength(50_000);
    expect(written.count).toBe(50_000);
    const left = begin({ ":path": "/Items" });
    await once(left, "data");
    left.close(constants.NGHTTP2_CANCEL);
    await untilQuiet(() => written.count);
    expect(written.count).toBeLessThan(100_000);
  });
});

test("toFastifyPlugin refuses a Fastify of HTTP/2 at startup", async () => {
  const app = fastify({ http2: true } as object);
  await expect(async () => {
    await app.register(toFastifyPlugin(service()));
    await app.ready();
  }).rejects.toThrow("`http2` of Fastify is not supported");
});
