import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { toExpressHandler } from "odatakit/express";
import { toNodeHandler } from "odatakit/node";
import { rolldown } from "rolldown";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../house/source-files.ts";
import { services } from "./programs/service.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "odatakit-hosts-"));
/** The folder of the runtimes and frameworks: `odatakit` would be another package in the folder of package.json. */
const PACKAGES = join(HERE, "packages");
const require = createRequire(join(PACKAGES, "package.json"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Bundles a program for a runtime without modules of Node.js. */
async function bundle(name: string): Promise<string> {
  const alias = {
    odatakit: join(ROOT, "src/index.ts"),
    "#cryptography": join(ROOT, "vendor/cryptography.js"),
    "#vocabularies": join(ROOT, "vendor/vocabularies.js"),
  };
  const build = await rolldown({
    input: join(HERE, `programs/${name}.ts`),
    platform: "neutral",
    resolve: { alias },
  });
  const file = join(folder, `${name}.js`);
  await build.write({ file, format: "esm" });
  await build.close();
  return file;
}

/** Starts a program that ends with the test. @returns its first line */
function firstLine(command: string, given: readonly string[]): Promise<string> {
  const child: ChildProcess = spawn(command, [...given], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const line = /^.*http:\/\/\S+/mu.exec(text);
      if (line !== null) resolve(line[0].slice(line[0].indexOf("http://")));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("error", reject).once("exit", () => reject(new Error(text)));
  });
}

/** Returns a TCP port that is free. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const BATCH = { "Content-Type": "multipart/mixed; boundary=b" };
const JSON_TYPE = { "Content-Type": "application/json" };

/** Asserts responses of both services at an origin. */
async function expectServices(origin: string): Promise<void> {
  for (const name of ["v1", "v2"]) {
    const found = await fetch(`${origin}/${name}/Orders(9007199254740993)?$select=Name`);
    expect([found.status, found.headers.get("odata-version"), await found.json()]).toEqual([
      200,
      "4.0",
      {
        "@odata.context": `${origin}/${name}/$metadata#Orders(Name)/$entity`,
        "@odata.id": `${origin}/${name}/Orders(9007199254740993)`,
        Name: "it's",
      },
    ]);
  }
  const filtered = await fetch(`${origin}/v1/Orders/$count?$filter=Name%20eq%20'it''s'`);
  expect([filtered.status, await filtered.text()]).toEqual([200, "1"]);
  const head = await fetch(`${origin}/v1/$metadata`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const body = '{"Id":9007199254740995,"Name":"é"}';
  const created = await fetch(`${origin}/v1/Orders`, { method: "POST", headers: JSON_TYPE, body });
  expect([created.status, created.headers.get("location")]).toEqual([201, `${origin}/v1/Orders(9007199254740995)`]);
  const part = "--b\r\nContent-Type: application/http\r\n\r\nGET Orders(1) HTTP/1.1\r\n\r\n\r\n--b--";
  const batch = await fetch(`${origin}/v1/$batch`, { method: "POST", headers: BATCH, body: part });
  expect(await batch.text()).toContain("HTTP/1.1 200 OK");
  expect((await fetch(`${origin}/v1/Nowhere`)).status).toBe(404);
}

describe("runtimes", () => {
  test("Bun", async () => {
    const bun = join(PACKAGES, "node_modules/@oven/bun-linux-x64/bin/bun");
    await expectServices(await firstLine(bun, [await bundle("bun")]));
  });

  test("Deno", async () => {
    const deno = join(PACKAGES, "node_modules/@deno/linux-x64-glibc/deno");
    await expectServices(await firstLine(deno, ["run", "--allow-net", await bundle("deno")]));
  });

  test("Cloudflare Workers, in workerd", async () => {
    await bundle("worker");
    const port = await freePort();
    const worker = `(modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01")`;
    const socket = `(name = "http", address = "127.0.0.1:${String(port)}", http = (), service = "main")`;
    writeFileSync(
      join(folder, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = ${worker})], sockets = [${socket}]);
`,
    );
    const workerd = join(PACKAGES, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");
    const child = spawn(workerd, ["serve", "config.capnp"], { cwd: folder, stdio: "inherit" });
    onTestFinished(() => void child.kill());
    const origin = `http://127.0.0.1:${String(port)}`;
    for (let tries = 0; tries < 1000; tries++) {
      const isUp = await fetch(origin).then(
        () => true,
        () => false,
      );
      if (isUp) break;
      await pause(100);
    }
    await expectServices(origin);
  });
});

/** Starts a server that ends with the test. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe("frameworks", () => {
  interface KoaContext {
    readonly path: string;
    readonly req: Parameters<RequestListener>[0];
    readonly res: Parameters<RequestListener>[1];
    respond: boolean;
    body: unknown;
    set(name: string, value: string): void;
  }
  interface KoaApplication {
    use(middleware: (context: KoaContext, next: () => Promise<void>) => unknown): void;
    callback(): RequestListener;
  }

  test("Koa", async () => {
    const Koa = require("koa") as { readonly default: new () => KoaApplication };
    const app = new Koa.default();
    const odata = toNodeHandler(services);
    app.use((context, next) => {
      context.set("X-Host", "koa");
      if (!/^\/v[12](?:\/|$)/u.test(context.path)) return next();
      context.respond = false;
      return odata(context.req, context.res);
    });
    app.use((context) => (context.body = "host"));
    const origin = await listen(app.callback());
    await expectServices(origin);
    const response = await fetch(`${origin}/v1`);
    expect([response.headers.get("x-host"), await (await fetch(`${origin}/about`)).text()]).toEqual(["koa", "host"]);
  });

  interface NestApplication {
    use(handler: unknown): void;
    listen(port: number, host: string): Promise<unknown>;
    getUrl(): Promise<string>;
    close(): Promise<void>;
  }

  test("NestJS", async () => {
    require("reflect-metadata");
    const { Module } = require("@nestjs/common") as {
      readonly Module: (options: object) => (target: object) => void;
    };
    const { NestFactory } = require("@nestjs/core") as {
      readonly NestFactory: { create(module: object, options: object): Promise<NestApplication> };
    };
    const AppModule = class AppModule {
      readonly name = "application";
    };
    Module({})(AppModule);
    const app = await NestFactory.create(AppModule, { logger: false });
    app.use(toExpressHandler(services));
    await app.listen(0, "127.0.0.1");
    onTestFinished(() => app.close());
    await expectServices(await app.getUrl());
  });
});
