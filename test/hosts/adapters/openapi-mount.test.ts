import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import type { ODataService, ServiceOptions } from "odatakit";
import { toExpressHandler } from "odatakit/express";
import { toFastifyPlugin } from "odatakit/fastify";
import { toHonoHandler } from "odatakit/hono";
import { openApiDocument, openApiRoute } from "odatakit/openapi";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, orderService } from "./hosts.ts";

type Ask = (path: string, headers?: Record<string, string>) => Promise<Response>;

const HOSTS: Readonly<Record<string, (service: ODataService, mount: string) => Promise<Ask>>> = {
  Express: async (service, mount) => {
    const app = express();
    app.use(mount, toExpressHandler(service));
    const origin = await listen(app);
    return (path, headers = {}) => fetch(origin + path, { headers });
  },
  Fastify: async (service, mount) => {
    const app = Fastify();
    app.register(toFastifyPlugin(service), { prefix: mount });
    onTestFinished(() => app.close());
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    return (path, headers = {}) => fetch(origin + path, { headers });
  },
  Hono: (service, mount) => {
    const app = new Hono();
    app.all(`${mount}/*`, toHonoHandler(service));
    return Promise.resolve(async (path, headers = {}) => app.request(path, { headers }));
  },
};

function describedService(
  options: Partial<ServiceOptions> = {},
  route: Parameters<typeof openApiRoute>[0] = {},
): ODataService {
  return orderService({ routes: [openApiRoute(route)], ...options }).service;
}

interface Document {
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Readonly<Record<string, unknown>>;
}

describe.each(Object.entries(HOSTS))("the OpenAPI document in %s", (_host, open) => {
  test.each<[string, string, string, string]>([
    ["/api", "/odata", "/api/odata", "/api"],
    ["/api", "", "/api", "/api"],
    ["/api/v1", "/odata", "/api/v1/odata", "/api/v1"],
    ["/odata", "/odata", "/odata", "/"],
    ["/:tenant", "/odata", "/a%20b/odata", "/a%20b"],
  ])("mounted at %s with the prefix %j leads to the service", async (mount, prefix, root, server) => {
    const service = describedService({ prefix });
    const ask = await open(service, mount);
    const response = await ask(`${root}/openapi.json`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    const document = (await response.json()) as Document;
    expect(document).toEqual({ ...openApiDocument(service), servers: [{ url: server }] });
    const base = server === "/" ? "" : server;
    for (const path of [`${prefix}/Orders`, `${prefix}/Orders/$count`, `${prefix}/$metadata`]) {
      expect(document.paths).toHaveProperty([path]);
      expect((await ask(base + path)).status, base + path).toBe(200);
    }
    const etag = response.headers.get("etag") ?? "";
    const again = await ask(`${root}/openapi.json`, { "If-None-Match": etag });
    expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
  });

  test("has its own ETag below each path, however many there are", async () => {
    const ask = await open(describedService(), "/:tenant");
    const tags = new Map<string, string | null>();
    for (const tenant of ["a", "b", "c", "d", "e", "f", "a"]) {
      const response = await ask(`/${tenant}/odata/openapi.json`);
      expect(((await response.json()) as Document).servers).toEqual([{ url: `/${tenant}` }]);
      const known = tags.get(tenant);
      if (known !== undefined) expect(response.headers.get("etag")).toBe(known);
      tags.set(tenant, response.headers.get("etag"));
    }
    expect(new Set(tags.values()).size).toBe(6);
  });

  test.each<[string, Partial<ServiceOptions>, Parameters<typeof openApiRoute>[0], string]>([
    ["publicUrl", { publicUrl: "https://a.example/shop/" }, {}, "https://a.example/shop"],
    ["servers", {}, { servers: [{ url: "https://b.example" }] }, "https://b.example"],
  ])("states %s where the application gives it", async (_what, options, route, url) => {
    const ask = await open(describedService(options, route), "/api");
    const document = (await (await ask("/api/odata/openapi.json")).json()) as Document;
    expect(document.servers).toEqual([{ url }]);
  });
});

test.each([
  ["//evil.example/odata", "/evil.example"],
  ["/a{b}/odata", "/a%7Bb%7D"],
])("a path that a client chooses, %s, stays a path of the host", async (root, server) => {
  const target = `${root}/openapi.json`;
  const mountPath = root.slice(0, -"/odata".length);
  const response = await describedService().handle({
    method: "GET",
    target: target.slice(mountPath.length),
    mountPath,
    scheme: "http",
    host: "host.example",
    headers: new Headers(),
    hasBody: false,
    signal: new AbortController().signal,
    header: () => undefined,
    readBody: () => new Uint8Array(0),
  });
  expect(response.status).toBe(200);
  const document = JSON.parse(new TextDecoder().decode(response.body as Uint8Array<ArrayBuffer>)) as Document;
  expect(document.servers).toEqual([{ url: server }]);
});
