import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../house/source-files.ts";
import { applicationWith, programOf, runNode, type Ended } from "./application.ts";

/** The optional packages: the list of package.json, and a package that only the command uses. */
const PACKAGES = [...Object.keys(readManifest().peerDependencies ?? {}), "@electric-sql/pglite"];

/** The entries of the package that need an optional package. */
const NEEDS: Readonly<Record<string, string>> = {
  hono: "hono",
  introspect: "kysely",
  kysely: "kysely",
  sqlite: "kysely",
  postgres: "kysely",
  mariadb: "kysely",
};
const ENTRIES = Object.keys(readManifest().exports).map((path) => path.slice(2));

/** Prints the package that each entry misses. */
const IMPORTS = `for (const entry of ${JSON.stringify(ENTRIES)}) {
  const name = entry === "" ? "odatakit" : "odatakit/" + entry;
  try { await import(name); console.log(entry, "imported"); }
  catch (error) { console.log(entry, error.code, /'([^']+)'/.exec(error.message)[1]); }
}`;

/** A service over an array, and one over a table, as `odatakit check` reads them. */
const MODULES: Readonly<Record<string, string>> = {
  "array.js": `import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
    const Thing = entityType("Thing", { id: edm.int32().key() });
    export const service = odataService({ entitySets: [entitySet(Thing, { queryable: () => arraySource(Thing, []) })] });`,
  "table.js": `import { Kysely } from "kysely";
    import { edm, entityType, odataService } from "odatakit";
    import { sqlEntitySet } from "odatakit/kysely";
    import { sqliteDialect } from "odatakit/sqlite";
    const db = new Kysely({ dialect: sqliteDialect("x.db") });
    const Thing = entityType("Thing", { id: edm.int64().key(), name: edm.string().nullable() });
    export const service = odataService({ entitySets: [sqlEntitySet(Thing, { db, table: "things", operations: ["read"] })] });`,
};

/** A database of PGlite without tables. The first folder with PGlite makes it, which takes seconds, and others copy it. */
const SHOP = join(mkdtempSync(join(tmpdir(), "odatakit-shop-")), "shop");
afterAll(() => {
  rmSync(dirname(SHOP), { recursive: true, force: true });
});

function prepare(folder: string): void {
  if (existsSync(SHOP)) cpSync(SHOP, join(folder, "shop"), { recursive: true });
  const database = new DatabaseSync(join(folder, "x.db"));
  database.exec("create table things (id integer primary key, name text); insert into things values (1, 'a')");
  database.close();
  for (const [name, text] of Object.entries(MODULES)) writeFileSync(join(folder, name), text);
}

const printed = (out: string): Ended => ({ code: 0, out: expect.stringContaining(out) as string, err: "" });
const reported = (code: number, err: string): Ended => ({
  code,
  out: "",
  err: expect.stringContaining(err) as string,
});

/** Runs of the command that need no optional package. The first of them run in every folder. */
const ALONE: ReadonlyArray<readonly [given: readonly string[], ended: Ended]> = [
  [["query", "x.db", "Things", "--sql", "--plan"], printed("SCAN it")],
  [["check", "array.js"], printed("0 errors, 0 warnings")],
  [["hash", "ada"], printed("ada:scrypt$")],
  [["--help"], printed("Usage: odatakit <command>")],
  [["--version"], printed(`${readManifest().version}\n`)],
  [["serve", "--help"], printed("Usage: odatakit serve")],
  [["inspect", "x.db"], printed("Id Int64, Name String")],
  [
    ["pull", "x.db", "--out", "model"],
    {
      ...printed("thing.ts"),
      err: "  The modules import packages that are not installed: npm install kysely\n",
    },
  ],
  [["pull", "x.db", "--out", "model", "--check"], printed("4 unchanged")],
  [["nothing"], reported(2, 'There is no command "nothing".')],
];

/** The end of a run over a database without tables. */
const EMPTY: Ended = {
  code: 4,
  out: expect.stringContaining("0 entity sets") as string,
  err: expect.stringContaining("The database contains nothing to publish.") as string,
};

/** Runs that need an optional package: how they end with it, and without it. Nothing listens on these addresses. */
const WITH: ReadonlyArray<readonly [name: string, given: readonly string[], installed: Ended, missing: RegExp]> = [
  [
    "pg",
    ["inspect", "postgres://me@127.0.0.1:1/shop"],
    reported(3, "refuses the connection"),
    /This needs pg\. Install/u,
  ],
  [
    "mysql2",
    ["inspect", "mariadb://me@127.0.0.1:1/shop"],
    reported(3, "refuses the connection"),
    /This needs mysql2\. Install/u,
  ],
  [
    "jose",
    ["serve", "x.db", "--auth", "oidc", "--issuer", "https://127.0.0.1:1", "--audience", "shop"],
    reported(3, "cannot be reached"),
    /This needs jose\. Install/u,
  ],
  ["@electric-sql/pglite", ["inspect", "pglite:shop"], EMPTY, /This needs @electric-sql\/pglite\. Install/u],
  ["kysely", ["check", "table.js"], printed("0 errors, 0 warnings"), /npm install kysely$/mu],
];

/** Starts the service, and sends one request. */
async function firstResponse(folder: string): Promise<readonly unknown[]> {
  const given = ["--no-warnings", programOf(folder), "serve", "x.db", "--port", "0", "--json"];
  const server = spawn(process.execPath, given, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "exit");
  try {
    const [line] = (await once(createInterface(server.stdout), "line")) as [string];
    const { url } = JSON.parse(line) as { readonly url: string };
    const response = await fetch(`${url}/Things?$filter=Name eq 'a'&$select=Name`);
    const { value } = (await response.json()) as { readonly value: unknown };
    server.kill("SIGTERM");
    return [response.status, value, await ended];
  } finally {
    server.kill("SIGKILL");
  }
}

describe.each([
  ["alone", [], PACKAGES],
  ...PACKAGES.map((name) => [`without ${name}`, PACKAGES.filter((each) => each !== name), [name]] as const),
] as const)("the tarball %s", (name, installed, missing) => {
  const isAlone = name === "alone";
  let folder: string;

  beforeAll(async () => {
    folder = await applicationWith(installed);
    prepare(folder);
  });

  afterAll(() => {
    if (existsSync(join(folder, "shop")) && !existsSync(SHOP)) cpSync(join(folder, "shop"), SHOP, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
  });

  const isMissing = (name: string): boolean => missing.some((each) => each === name);

  it("imports the entries that need no missing package", () => {
    writeFileSync(join(folder, "imports.js"), IMPORTS);
    const lines = ENTRIES.map((entry) => {
      const needed = NEEDS[entry] ?? "";
      return `${entry} ${isMissing(needed) ? `ERR_MODULE_NOT_FOUND ${needed}` : "imported"}\n`;
    });
    expect(runNode(folder, ["imports.js"])).toEqual({ code: 0, out: lines.join(""), err: "" });
  });

  it("serves a SQLite file", async () => {
    expect(await firstResponse(folder)).toEqual([
      200,
      [{ "@odata.id": expect.stringMatching(/Things\(1\)$/), Name: "a" }],
      [0, null],
    ]);
  });

  it("compiles patterns with re2js, or says what to install", () => {
    const script = `import { edm, entitySet, entityType, odataService } from "odatakit";
      const Thing = entityType("Thing", { id: edm.string({ pattern: "^[a-z]+$" }).key() });
      try { odataService({ entitySets: [entitySet(Thing, {})] }); console.log("started"); }
      catch (error) { console.log(error.faults[0].message, error.faults[0].fix); }`;
    writeFileSync(join(folder, "pattern.js"), script);
    const fault =
      "`pattern` of the property `id` of Thing needs the package `re2js`, which cannot be loaded. Install the optional package: npm install re2js. Where packages cannot be loaded at run time, give RE2JS.compile(…) in place of the text.";
    const out = `${isMissing("re2js") ? fault : "started"}\n`;
    expect(runNode(folder, ["pattern.js"])).toEqual({ code: 0, out, err: "" });
  });

  it.each(isAlone ? ALONE : ALONE.slice(0, 3))("runs odatakit %j", (given, ended) => {
    expect(runNode(folder, [programOf(folder), ...given], "a password\n")).toEqual(ended);
  });

  it.each(WITH)("says what to install for %s", (needed, given, found, lacking) => {
    const run = runNode(folder, [programOf(folder), ...given, ...(given[0] === "check" ? [] : ["--no-install"])]);
    expect(run).toEqual(
      isMissing(needed) ? { code: 3, out: "", err: expect.stringMatching(lacking) as string } : found,
    );
  });
});
