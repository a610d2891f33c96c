import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { targetsOf } from "../house/links.ts";
import { ROOT, readManifest } from "../house/source-files.ts";
import { applicationWith } from "./application.ts";
import { packedTarball, textAfterPacking } from "./tarball.ts";

/** A small service, as an application writes it. */
const SERVICE = `import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string() });
const rows = [{ id: 1, name: "a" }];
const things = entitySet(Thing, {
  queryable: () => arraySource(Thing, rows),
  getByKey: (id) => rows.find((thing) => thing.id === id) ?? null,
});
export const service = odataService({ prefix: "/odata", entitySets: [things] });
`;

/** The folder of an application that has installed the tarball. */
let application: string;
let files: readonly string[];
/** The size of the unpacked files in bytes. */
let size: number;

beforeAll(async () => {
  application = await applicationWith(["kysely", "hono", "@types/node", "undici-types"]);
  ({ files, size } = await packedTarball());
  writeFileSync(join(application, "service.ts"), SERVICE);
});

afterAll(() => {
  rmSync(application, { recursive: true, force: true });
});

function node(...given: readonly string[]): string {
  return execFileSync(process.execPath, [...given], { cwd: application, encoding: "utf8" });
}

function readPacked(path: string): string {
  return readFileSync(join(application, "node_modules/odatakit", path), "utf8");
}

/** Returns the modules that a packed file imports, chunks included. */
function importsOf(path: string, seen: Set<string> = new Set()): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const named = [...readPacked(path).matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"/gmu)];
  return named
    .map(([, from, bare]) => from ?? bare ?? "")
    .flatMap((name) => (name.startsWith(".") ? importsOf(join(path, "..", name), seen) : [name]));
}

describe("the tarball", () => {
  it("has code in ASCII, of which V8 keeps one byte for each character", () => {
    const code = files.filter((path) => path.endsWith(".js"));
    expect(code.length).toBeGreaterThan(0);
    expect(code.filter((path) => Buffer.byteLength(readPacked(path)) > readPacked(path).length)).toEqual([]);
  });

  it("has fewer than 80 files in dist, and no source files", () => {
    expect(files.filter((path) => path.startsWith("dist/")).length).toBeLessThan(80);
    expect(files.filter((path) => /^(?:src|test|packaging)\//u.test(path))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        "README.md",
        "LICENSE",
        "vendor/LICENSE",
        "vendor/LICENSE-diff3",
        "vendor/LICENSE-kysely",
        "vendor/LICENSE-vocabularies",
      ]),
    );
  });

  it("has no condition `source` in its exports", () => {
    const { exports: entries } = JSON.parse(readPacked("package.json")) as { exports: Record<string, object> };
    expect(Object.keys(entries)).toEqual([
      ".",
      "./node",
      "./kysely",
      "./express",
      "./fastify",
      "./hono",
      "./introspect",
      "./check",
      "./explorer",
      "./openapi",
      "./sqlite",
      "./postgres",
      "./mariadb",
    ]);
    for (const conditions of Object.values(entries)) expect(Object.keys(conditions)).toEqual(["types", "default"]);
  });

  it("leaves package.json and the pages of the project unchanged", async () => {
    expect(await textAfterPacking("package.json")).toBe(readFileSync(join(ROOT, "package.json"), "utf8"));
    const page = await textAfterPacking("docs/guides/clients.md");
    expect(page).toBe(readFileSync(join(ROOT, "docs/guides/clients.md"), "utf8"));
    expect(page).toContain("](../../test/clients/package.json)");
  });

  it("unpacks to less than 4.5 MB beside the page of the explorer, without source maps", () => {
    const page = files.filter((path) => path.startsWith("dist/explorer/"));
    const sizeOfPage = page.reduce((sum, path) => sum + Buffer.byteLength(readPacked(path)), 0);
    const { script, style, preloads, chunks } = JSON.parse(readPacked("dist/explorer/manifest.json")) as Readonly<
      Record<string, string | readonly string[]>
    >;
    const names = ["manifest.json", script, style, preloads, chunks]
      .flat()
      .map((name) => `dist/explorer/${name ?? ""}`);
    expect(page.toSorted()).toEqual(names.toSorted());
    expect(size - sizeOfPage).toBeLessThan(4_500_000);
    expect(files.filter((path) => path.endsWith(".map"))).toEqual([]);
  });

  it("leads to the changes of its version in the repository", () => {
    expect(files).not.toContain("CHANGELOG.md");
    expect(readPacked("README.md")).toMatch(/\]\(https:[^)]+\/CHANGELOG\.md\)/u);
  });

  it("has readable code, so that stack traces name functions and lines", () => {
    // The page of the explorer is for browsers.
    const isCode = (path: string): boolean => /^dist\/(?!explorer\/).*\.js$/u.test(path);
    const scripts = files.filter(isCode);
    expect(scripts.length).toBeGreaterThan(5);
    for (const path of scripts) {
      const text = readPacked(path);
      expect(text, path).not.toContain("sourceMappingURL");
      expect(text.length / text.split("\n").length, path).toBeLessThan(100);
    }
  });

  it("has pages whose relative links lead to packed files", () => {
    const pages = files.filter((path) => path.endsWith(".md"));
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/reference/command-line.md"]));
    const broken = pages.flatMap((path) =>
      targetsOf({ path, text: readPacked(path) })
        .filter(({ target }) => !/^(?:[a-z]+:|#)/u.test(target))
        .map(({ target }) => join(path, "..", decodeURI(target).replace(/#.*$/u, "")))
        .filter((target) => !existsSync(join(application, "node_modules/odatakit", target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("has pages whose other links lead to files of the repository, at the tag of the version", () => {
    const address = `https://github.com/odatakit/odatakit/blob/v${readManifest().version}/`;
    const found = targetsOf({ path: "", text: readPacked("docs/guides/clients.md") })
      .map(({ target }) => target)
      .filter((target) => target.startsWith(address));
    expect(found).toContain(`${address}test/clients/package.json`);
    for (const target of found) expect(existsSync(join(ROOT, target.slice(address.length))), target).toBe(true);
  });

  it("names its repository", () => {
    expect(JSON.parse(readPacked("package.json"))).toMatchObject({
      homepage: "https://github.com/odatakit/odatakit#readme",
      repository: { type: "git", url: "git+https://github.com/odatakit/odatakit.git" },
      bugs: { url: "https://github.com/odatakit/odatakit/issues" },
    });
  });

  it("has doc comments in the declarations of all entries", () => {
    for (const path of [
      "index",
      "adapters/node",
      "adapters/express",
      "adapters/fastify",
      "adapters/hono",
      "kysely/index",
      "openapi/index",
      "hosts/explorer/index",
      "declarations/index",
      "service/check-database",
      "engines/sqlite/sqlite-dialect",
    ]) {
      expect(readPacked(`dist/${path}.d.ts`), path).toContain("/**");
    }
  });
});

describe("an application with the tarball", () => {
  it.each(["index.js", "kysely/index.js", "openapi/index.js", "hosts/explorer/index.js", "adapters/hono.js"])(
    "needs no module of Node.js for %s",
    (path) => {
      expect(importsOf(`dist/${path}`).filter((name) => name.startsWith("node:"))).toEqual([]);
    },
  );

  it("imports all entries and serves a request", () => {
    const program = `import { service } from "./service.ts";
      for (const name of ["node", "express", "fastify", "hono", "kysely", "explorer", "openapi", "sqlite", "introspect", "check"]) await import("odatakit/" + name);
      const response = await service.fetch(new Request("http://localhost/odata/Things(1)"));
      console.log(response.status, (await response.json()).Name);`;
    writeFileSync(join(application, "main.ts"), program);
    expect(node("main.ts").trim()).toBe("200 a");
  });

  it("serves the page of the explorer with its files", () => {
    expect(files.filter((path) => /^dist\/explorer\/manifest\.json$/u.test(path))).toHaveLength(1);
    const program = `import { odataService } from "odatakit";
      import { explorerRoute } from "odatakit/explorer";
      const service = odataService({ prefix: "/odata", entitySets: [], routes: [explorerRoute()] });
      const get = (path) => service.fetch(new Request(new URL(path, "http://localhost/odata/explorer")));
      const page = await get("");
      const named = [...(await page.text()).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path);
      const found = await Promise.all(named.map(async (path) => [(await get(path)).status, path.replace(/[\\w-]*-\\w+/, "x")].join(" ")));
      console.log(page.status, JSON.stringify([...new Set(found)].toSorted()));`;
    writeFileSync(join(application, "explorer.mjs"), program);
    expect(node("explorer.mjs").trim()).toBe('200 ["200 explorer/icon.svg","200 explorer/x.css","200 explorer/x.js"]');
  });

  it("has the command, which serves a file", () => {
    const program = join(application, "node_modules/odatakit/dist/cli/main.js");
    const script = `import { DatabaseSync } from "node:sqlite";
      new DatabaseSync("small.db").exec("create table things (id integer primary key, name text)");`;
    writeFileSync(join(application, "small.ts"), script);
    node("--no-warnings", "small.ts");
    expect(node("--no-warnings", program, "query", "small.db", "Things/$count").trim()).toBe("0");
    expect(node(program, "--version").trim()).toMatch(/^\d+\.\d+\.\d+/u);
    rmSync(join(application, "small.db"));
  });

  it("runs long reads of SQLite in a thread", () => {
    const program = `import { Kysely, sql } from "kysely";
      import { edm, entityType, odataService } from "odatakit";
      import { sqlEntitySet } from "odatakit/kysely";
      import { sqliteDialect } from "odatakit/sqlite";
      const db = new Kysely({ dialect: sqliteDialect("long.db") });
      await sql\`create table thing (id integer primary key, name text not null)\`.execute(db);
      await sql\`with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
        insert into thing select i, 'n' || i from n\`.execute(db);
      const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string() });
      const service = odataService({ schemaCheck: false, entitySets: [sqlEntitySet(Thing, { db, table: "thing", operations: ["read"] })] });
      let threads = 0;
      process.on("worker", () => { threads += 1; });
      const response = await service.fetch(new Request("http://localhost/Things?$filter=endswith(Name,'n777')"));
      console.log(response.status, (await response.json()).value.length, threads);
      await db.destroy();`;
    writeFileSync(join(application, "long.ts"), program);
    expect(node("long.ts").trim()).toBe("200 1 1");
    rmSync(join(application, "long.db"));
    rmSync(join(application, "node_modules/odatakit/dist/engines/sqlite/reader-thread.js"));
    // Without the file of the thread, as in a bundle.
    expect(node("--no-warnings", "long.ts").trim()).toBe("200 1 0");
  });

  it("is checked by the compiler, with the declarations of the package", () => {
    const options = { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] };
    const entries = ["node", "express", "hono", "kysely", "explorer", "openapi", "sqlite", "introspect", "check"].map(
      (name) => `export * as ${name} from "odatakit/${name}";`,
    );
    writeFileSync(join(application, "entries.ts"), entries.join("\n"));
    const used = `import { service } from "./service.js";\nexport const answer: Promise<Response> = service.fetch(new Request("http://localhost"));\n`;
    writeFileSync(join(application, "used.ts"), used);
    const compilerOptions = { ...options, skipLibCheck: false, lib: ["es2023"] };
    const config = { compilerOptions, files: ["service.ts", "entries.ts", "used.ts"] };
    writeFileSync(join(application, "tsconfig.json"), JSON.stringify(config));
    expect(node(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", application)).toBe("");
  });

  it("can be bundled for a runtime that has only the interfaces of the web", async () => {
    const build = await rolldown({ input: join(application, "service.ts"), platform: "browser", logLevel: "silent" });
    const { output } = await build.generate({ format: "iife", name: "bundled" });
    await build.close();
    const web = { Request, Response, Headers, URL, TextEncoder, TextDecoder, ReadableStream, setTimeout, clearTimeout };
    const context = createContext({
      ...web,
      btoa,
      atob,
      crypto,
      console,
      AbortController,
      structuredClone,
      performance,
    });
    runInContext(output[0].code, context);
    const { service } = runInContext("bundled", context) as { service: { fetch(request: Request): Promise<Response> } };
    const response = await service.fetch(new Request("http://localhost/odata/Things?$filter=contains(Name,'a')"));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ value: [{ Id: 1, Name: "a" }] });
  });
});
