import { EventEmitter } from "node:events";
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import express from "express";
import Fastify from "fastify";
import { action, edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { toExpressHandler } from "odatakit/express";
import { toFastifyPlugin } from "odatakit/fastify";
import { toNodeHandler } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { MULTIPART, multipart } from "../../service/http/batch-model.ts";

/** The package that `app.inject` of Fastify uses, which tests of NestJS use as well. */
type Inject = (listener: RequestListener, options: object) => Promise<{ statusCode: number; body: string }>;
const require = createRequire(import.meta.url);
const { inject } = createRequire(require.resolve("fastify"))("light-my-request") as { readonly inject: Inject };

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

/** A service whose handlers and `authenticate` read everything that a message of Node.js has. */
function service(options: Partial<ServiceOptions> = {}) {
  const seen: Array<Readonly<Record<string, unknown>>> = [];
  const items = entitySet(Item, {
    getAll: ({ request, signal }) => {
      seen.push({ accept: request.headers.get("accept"), own: request.headers.get("x-own"), aborted: signal.aborted });
      return [{ id: 1, name: "one" }];
    },
    create: (item) => item,
    actions: { clear: action({ bound: "collection", handler: () => undefined }) },
  });
  const many = entitySet(Item, {
    name: "Many",
    maxTop: null,
    getAll: () => Array.from({ length: 5000 }, (_none, id) => ({ id, name: "x".repeat(20) })),
  });
  const built = odataService({
    prefix: "/odata",
    authenticate: ({ headers }) => ({ id: headers.get("authorization") ?? "nobody" }),
    entitySets: [items, many],
    logger: { error: fail, warn: fail, info: fail },
    defaults: { maxRequestBodyBytes: 2000 },
    ...options,
  });
  return { built, seen };
}

function fail(message: string, fields?: unknown): void {
  expect.unreachable(`${message} ${JSON.stringify(fields)}`);
}

interface Simulated {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
interface Answer {
  readonly status: number;
  readonly body: string;
}
type Send = (simulated: Simulated) => Promise<Answer>;

/** Sends by the package that `inject` uses. */
async function injected(listener: RequestListener, simulated: Simulated): Promise<Answer> {
  const { statusCode, body } = await inject(listener, optionsOf(simulated));
  return { status: statusCode, body };
}

function optionsOf({ method, path, headers, body }: Simulated) {
  return { method, url: path, headers: { ...headers }, ...(body === undefined ? {} : { payload: body }) };
}

/**
 * A message as packages for serverless platforms make it: their headers are not raw ones, and their socket emits no events.
 * @see https://nodejs.org/api/http.html#messageheadersdistinct
 */
function serverless(listener: (request: IncomingMessage, response: ServerResponse) => void): Send {
  return ({ method, path, headers = {}, body = "" }) =>
    new Promise((resolve) => {
      const socket = { encrypted: true, remoteAddress: "203.0.113.9", address: () => ({ port: 443 }), destroy: ignore };
      const message = new IncomingMessage(socket as unknown as Socket);
      const bytes = Buffer.from(body);
      Object.assign(message, {
        complete: true,
        httpVersion: "1.1",
        method,
        url: path,
        body: bytes,
        headers: { host: "shop.example", "content-length": bytes.length, ...lowerCased(headers) },
      });
      message._read = () => {
        message.push(bytes);
        message.push(null);
      };
      const response = new ServerResponse({ method } as IncomingMessage);
      const written: Buffer[] = [];
      const sink = Object.assign(new EventEmitter(), {
        writable: true,
        destroy: ignore,
        cork: ignore,
        uncork: ignore,
        write: (data: string | Buffer, encoding?: BufferEncoding, done?: () => void) => {
          written.push(typeof data === "string" ? Buffer.from(data, encoding) : data);
          done?.();
          return true;
        },
      });
      response.assignSocket(sink as unknown as Socket);
      response.on("finish", () => {
        const text = Buffer.concat(written).toString();
        resolve({ status: response.statusCode, body: text.slice(text.indexOf("\r\n\r\n") + 4) });
      });
      listener(message, response);
    });
}

function lowerCased(headers: object): object {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as unknown]));
}

function ignore(): void {
  // A message without a connection ignores it.
}

type Built = ReturnType<typeof service>["built"];

const HOSTS: Readonly<Record<string, (built: Built) => Send>> = {
  "app.inject of Fastify": (built) => {
    const app = Fastify();
    app.register(toFastifyPlugin(built));
    onTestFinished(() => app.close());
    return async (simulated) => {
      const { statusCode, body } = await app.inject(optionsOf(simulated));
      return { status: statusCode, body };
    };
  },
  "light-my-request of node:http": (built) => {
    const listener = toNodeHandler(built);
    return (simulated) => injected(listener, simulated);
  },
  "a serverless message of node:http": (built) => serverless(toNodeHandler(built)),
  "a serverless message of Express": (built) => {
    const app = express();
    app.use(toExpressHandler(built));
    return serverless(app);
  },
};

describe.each(Object.entries(HOSTS))("%s", (_name, host) => {
  const JSON_TYPE = { "content-type": "application/json" };

  test("headers, URL and signal reach authenticate and handlers", async () => {
    const { built, seen } = service();
    const send = host(built);
    const headers = { accept: "application/json", "x-own": "a, b", authorization: "Bearer t" };
    const { status, body } = await send({ method: "GET", path: "/odata/Items?$select=Id", headers });
    expect([status, JSON.parse(body).value]).toEqual([200, [{ Id: 1 }]]);
    expect(seen).toEqual([{ accept: "application/json", own: "a, b", aborted: false }]);
  });

  test("bodies are read, and those above the limit are 413", async () => {
    const { built } = service();
    const send = host(built);
    const created = await send({
      method: "POST",
      path: "/odata/Items",
      headers: JSON_TYPE,
      body: '{"Id":2,"Name":"é"}',
    });
    expect([created.status, JSON.parse(created.body).Name]).toEqual([201, "é"]);
    const empty = await send({ method: "POST", path: "/odata/Items/clear" });
    expect(empty.status).toBe(204);
    const long = await send({ method: "POST", path: "/odata/Items", headers: JSON_TYPE, body: " ".repeat(2001) });
    expect([long.status, JSON.parse(long.body).error.code]).toEqual([413, "PayloadTooLarge"]);
  });

  test("a long page arrives whole", async () => {
    const { status, body } = await host(service().built)({ method: "GET", path: "/odata/Many" });
    // A simulated connection does not remove the lengths of chunks.
    expect([status, body.match(/"Id":/gu)?.length]).toEqual([200, 5000]);
  });

  test("operations of a batch see the headers of the batch", async () => {
    const { built, seen } = service();
    const body = multipart([{ request: "GET Items" }]);
    const headers = { ...MULTIPART, "x-own": "of the batch" };
    const { status, body: text } = await host(built)({ method: "POST", path: "/odata/$batch", headers, body });
    expect(status).toBe(200);
    expect(text).toContain("HTTP/1.1 200 OK");
    expect(seen).toEqual([expect.objectContaining({ own: "of the batch" })]);
  });
});

test("a Host that inject repeats is refused", async () => {
  const app = Fastify();
  app.register(toFastifyPlugin(service().built));
  onTestFinished(() => app.close());
  const headers = { host: ["a.example", "b.example"] } as unknown as Record<string, string>;
  const { statusCode, body } = await app.inject({ url: "/odata/Items", headers });
  expect([statusCode, JSON.parse(body).error.code]).toEqual([400, "InvalidUrl"]);
});
