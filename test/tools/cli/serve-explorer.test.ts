import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ExplorerAbout } from "../../../src/hosts/explorer/about.ts";
import type { ExplorerTrace } from "../../../src/hosts/explorer/traces.ts";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";
import { serveShop } from "./serve-shop.ts";

const KEY = "a-key-of-twenty-and-more";

/** Returns how the page lets users sign in; null if it does not. */
async function signInOf(url: string): Promise<unknown> {
  const response = await fetch(`${url}/explorer`, { headers: { Accept: "text/html" } });
  expect(response.status).toBe(200);
  const [, found] = /data-sign-in="([^"]*)"/.exec(await response.text()) ?? [];
  return found === undefined ? null : JSON.parse(found.replaceAll("&quot;", '"'));
}

async function startIssuer(): Promise<string> {
  const server = createServer((_request, response) => {
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${String(port)}`;
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe("the explorer of odatakit serve", () => {
  test("is the first address of the banner, and part of the first line of --json", async () => {
    for (const [flag, explorer] of [
      [[], { explorer: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/odata\/explorer$/) as string }],
      [["--no-explorer"], {}],
    ] as const) {
      const folder = testFolder();
      const ending = new AbortController();
      const lines: string[] = [];
      await runProgram(["serve", writeDatabase(folder), "--port", "0", "--json", ...flag], {
        folder,
        signal: ending.signal,
        onLine: (line) => {
          lines.push(line);
          ending.abort();
        },
      });
      const url = expect.stringMatching(/\/odata$/) as string;
      expect(JSON.parse(lines[0] ?? "")).toEqual({ url, ...explorer, pid: process.pid });
    }
  });

  test("shows statements and times to this machine", async () => {
    const { url } = await serveShop([]);
    expect(await signInOf(url)).toBeNull();
    const page = await fetch(`${url}/Orders?$top=1`, { headers: { "X-Request-Id": "a" } });
    expect(page.headers.get("server-timing")).toMatch(/^parse;dur=.*, total;dur=/);
    const trace = (await (await fetch(`${url}/explorer/trace/a`)).json()) as ExplorerTrace;
    expect(trace.statements).toHaveLength(1);
    expect(trace.statements[0]?.plan?.join()).toContain("SCAN");
    const about = (await (await fetch(`${url}/explorer/about.json`)).json()) as ExplorerAbout;
    expect(about).toEqual({
      title: "shop",
      rows: {
        Customers: { count: 2, kind: "exact" },
        Orders: { count: 2, kind: "exact" },
        OrderLogs: { count: 0, kind: "exact" },
      },
      warnings: expect.any(Array) as unknown[],
      traces: true,
      isAnonymous: true,
      expandsPaths: true,
      access: {},
    });
  });

  test("compresses what is long enough, such as the metadata", async () => {
    const { url } = await serveShop([]);
    const codingOf = async (path: string): Promise<readonly unknown[]> => {
      const { headers, status } = await fetch(url + path, { headers: { "Accept-Encoding": "gzip" } });
      return [path, status, headers.get("content-encoding"), headers.get("vary")?.includes("Accept-Encoding")];
    };
    expect(await codingOf("/$metadata")).toEqual(["/$metadata", 200, "gzip", true]);
    expect(await codingOf("/openapi.json")).toEqual(["/openapi.json", 200, "gzip", true]);
    // The page of this test is short.
    expect(await codingOf("/explorer/")).toEqual(["/explorer/", 200, null, true]);
    expect(await codingOf("/explorer/about.json")).toEqual(["/explorer/about.json", 200, null, true]);
  });

  test("shows the warnings of the banner to users who may read statements", async () => {
    const script = `create table notes (text varchar(20) check (text <> ''), day date, primary key (text));
      create table people (id integer primary key, password text);
      create view nameless as select text from notes;`;
    const { url } = await serveShop([], { script });
    const warningsFor = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const about = (await (await fetch(`${url}/explorer/about.json`, { headers })).json()) as ExplorerAbout;
      return about.warnings.map(({ severity, place, fix }) => `${severity} ${place} ${fix}`).toSorted();
    };
    expect(await warningsFor({})).toEqual([
      "warning nameless --keys unique",
      'warning people.password --include-column "people.password"',
    ]);
    expect(await warningsFor({ "X-Forwarded-For": "192.0.2.1" })).toEqual([]);
  });

  test("signs in as --auth needs it, and reports no times", async () => {
    const { url } = await serveShop(["--auth", "key"], { environment: { ODATAKIT_API_KEYS: KEY } });
    expect(await signInOf(url)).toEqual({ kind: "key" });
    for (const path of ["/explorer/about.json", "/explorer/trace/a", "/Orders", "/$metadata"]) {
      expect((await fetch(url + path)).status, path).toBe(401);
    }
    const headers = { "X-Api-Key": KEY, "X-Request-Id": "a" };
    const orders = await fetch(`${url}/Orders`, { headers });
    expect([orders.status, orders.headers.get("server-timing")]).toEqual([200, null]);
    const about = (await (await fetch(`${url}/explorer/about.json`, { headers })).json()) as ExplorerAbout;
    expect(about.traces).toBe(true);
    expect((await fetch(`${url}/explorer/trace/a`, { headers })).status).toBe(200);
  });

  test("signs in with a password", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "users"), "");
    const { out } = await runProgram(["hash", "ada"], { input: "correct horse battery\n" });
    writeFileSync(join(folder, "users"), out);
    const environment = { ODATAKIT_USERS_FILE: join(folder, "users") };
    const { url } = await serveShop(["--auth", "basic"], { environment });
    expect(await signInOf(url)).toEqual({ kind: "basic" });
  });

  test("signs in with a token, and at the issuer if it is a client there", async () => {
    const issuer = await startIssuer();
    const flags = ["--auth", "oidc", "--issuer", issuer, "--audience", "shop"];
    const pasted = await serveShop(flags);
    expect(await signInOf(pasted.url)).toEqual({ kind: "bearer" });
    const { url } = await serveShop([...flags, "--client-id", "explorer"]);
    expect(await signInOf(url)).toEqual({ kind: "oidc", issuer, clientId: "explorer" });
    const page = await fetch(`${url}/explorer`);
    expect(page.headers.get("content-security-policy")).toContain(`connect-src 'self' ${issuer};`);
  });

  test("needs an issuer for --client-id", async () => {
    const { code, err } = await runProgram(["serve", "shop.db", "--client-id", "a"]);
    expect(code).toBe(2);
    expect(err).toContain("`--client-id` has no effect without `--auth oidc`.");
  });

  test("is turned off by odatakit.json, too", async () => {
    const { url } = await serveShop([], { file: { "no-explorer": true } });
    expect((await fetch(`${url}/explorer`)).status).toBe(404);
    expect((await fetch(`${url}/Orders`)).headers.get("server-timing")).toBeNull();
  });
});
