import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqliteDialect } from "odatakit/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Invocation } from "../../../../src/tools/cli/command.ts";
import { unavailable } from "../../../../src/tools/cli/problem.ts";
import { makePullCommand } from "../../../../src/tools/cli/pull/pull-command.ts";
import { writeSample } from "../../../fixtures/databases/load.ts";
import { type ApplicationFolder, makeApplicationFolder } from "../../declarations/code/application-folder.ts";
import { runProgram } from "../run-program.ts";

let application: ApplicationFolder;

beforeEach(async () => {
  application = makeApplicationFolder();
  await writeSample("chinook", join(application.path, "chinook.db"));
});

afterEach(() => {
  application.remove();
});

const SETTINGS = { prefix: "/odata", profile: "standard" } as const;

async function withDatabase<Result>(use: (db: Kysely<object>) => Promise<Result>): Promise<Result> {
  const db = new Kysely<object>({ dialect: sqliteDialect(join(application.path, "chinook.db"), { readonly: true }) });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

const readChinook: Parameters<typeof makePullCommand>[0] = () =>
  withDatabase(async (db) => {
    const { described } = await introspectDatabase(db);
    return { described, database: { kind: "sqlite", file: "chinook.db" }, service: SETTINGS };
  });

async function pull(options: Invocation["options"] = {}, read = readChinook): Promise<readonly [string, string]> {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
  };
  const terminal = { print: write, report: write, progress: () => undefined, hasColour: false, columns: 100 };
  const result = await makePullCommand(read).run({
    positionals: ["chinook.db"],
    options: { out: "m", ...options },
    file: {},
    environment: {},
    folder: application.path,
    terminal,
    signal: new AbortController().signal,
    readInput: () => Promise.resolve(""),
  });
  return [result, lines.join("\n")];
}

function path(name: string): string {
  return join(application.path, "m", name);
}

/** Replaces the line about the port by the metadata that is served there, and ends the process. */
const STOP_WHEN_ASKED = `data:text/javascript,${encodeURIComponent(`
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (line) => {
    const [, url] = /Listening on (\\S+)/.exec(line);
    fetch(url + "/$metadata").then((response) => response.text()).then((text) => write(text, () => process.kill(process.pid, "SIGTERM")));
  };`)}`;

function edit(name: string, from: string, to: string): void {
  const text = readFileSync(path(name), "utf8");
  expect(text).toContain(from);
  writeFileSync(path(name), text.replace(from, to));
}

/** Returns the texts of all files that the command may write. */
function filesOf(): Readonly<Record<string, string>> {
  const names = readdirSync(path("."), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(path(name), "utf8")]));
}

function alter(...statements: readonly string[]): void {
  const database = new DatabaseSync(join(application.path, "chinook.db"));
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

async function liveMetadata(): Promise<string> {
  return withDatabase(async (db) => {
    const { entitySets } = await introspectDatabase(db);
    const service = odataService({ ...SETTINGS, entitySets });
    return (await service.fetch(new Request("http://localhost/odata/$metadata"))).text();
  });
}

test("pulls Chinook: the modules type-check, serve the live $metadata, and keep edits of every kind", async () => {
  const [first, report] = await pull();
  expect([first, report]).toEqual([
    "success",
    expect.stringContaining("  + album.ts           new table main.Album\n"),
  ]);
  const program = `const { service } = await import("./m/service.ts");
    const response = await service.fetch(new Request("http://localhost/odata/$metadata"));
    process.stdout.write(await response.text());`;
  const run = (): ReturnType<ApplicationFolder["run"]> =>
    application.run(process.execPath, ["--conditions=source", "--no-warnings", "--input-type=module", "-e", program]);
  const [{ output }, live] = await Promise.all([run(), liveMetadata()]);
  expect(output).toBe(live);

  const before = filesOf();
  expect(await pull()).toEqual(["success", expect.stringMatching(/^ {2}14 unchanged\.(?:\n {2}\d+ warnings.*)?$/)]);
  expect(filesOf()).toEqual(before);

  edit("album.ts", "  title: edm.string()", "  name: edm.string()");
  edit("album.ts", '    title: "Title"', '    name: "Title"');
  edit("artist.ts", 'operations: ["read"],', 'operations: ["read"],\n  maxTop: 50,');
  edit("artist.ts", "export const Artist ", "// Who plays.\nexport const Artist ");
  edit("genre.ts", "import { edm,", "import { authenticated, edm,");
  edit("genre.ts", 'operations: ["read"],', 'operations: ["read"],\n  authorization: { all: authenticated() },');
  edit("index.ts", 'import { playlists } from "./playlist.ts";\n', "");
  edit("index.ts", "  playlists,\n", "");
  alter(
    "alter table Album add column ReleasedOn date",
    "alter table Artist add column Country text",
    "alter table Genre add column ParentGenreId integer references Genre (GenreId)",
    "create table Label (LabelId integer primary key, Name text not null)",
  );
  const [result, changed] = await pull();
  expect([result, changed]).toEqual(["success", expect.stringContaining("  + label.ts   new table main.Label\n")]);
  expect(changed).toContain("  ~ album.ts   + releasedOn, kept 2 edits of yours\n");
  const after = filesOf();
  expect(after["album.ts"]).toMatch(
    / {2}name: edm\.string[^]* {2}releasedOn: [^]* {4}name: "Title",[^]* {4}releasedOn: "ReleasedOn",/,
  );
  expect(after["artist.ts"]).toMatch(/\/\/ Who plays\.[^]*country: edm[^]*maxTop: 50/);
  expect(after["genre.ts"]).toMatch(
    /import \{ authenticated, edm, entityType, hasMany, hasOptional \}[^]*authorization:/,
  );
  expect(after["index.ts"]).toContain("  labels,\n");
  expect(after["index.ts"]).not.toContain("playlists");
  expect(await pull({ check: true })).toEqual(["success", expect.stringContaining("15 unchanged.")]);
  edit("index.ts", "  labels,\n", "  labels,\n  playlists,\n");
  edit("index.ts", "\nexport", 'import { playlists } from "./playlist.ts";\n\nexport');
  expect(await application.typeCheck()).toBe("");
});

test("a dropped column that you edited is a conflict, and no file is written until it is settled", async () => {
  await pull();
  edit("customer.ts", "  fax: edm.string()", "  telefax: edm.string()");
  alter("alter table Customer drop column Fax", "alter table Artist add column Country text");
  const before = filesOf();
  const [result, report] = await pull();
  expect(result).toBe("findings");
  expect(report).toContain("  ! customer.ts  conflict: - fax; file unchanged\n");
  expect(report).toMatch(/ {6}customer\.ts:\d+\n {6}- before {6}fax: edm.*\n {6}< yours {7}telefax: edm/);
  expect(report).toContain("run again with --keep-mine. No file was written.");
  expect(filesOf()).toEqual(before);
  expect((await pull({ "keep-mine": true }))[0]).toBe("success");
  expect(filesOf()["customer.ts"]).toContain("telefax: edm");
  expect(filesOf()["artist.ts"]).toContain("country: edm");
});

describe("a renamed column", () => {
  const NOTE =
    '      company is now firm, also for clients: the column "Firm" stands in place of "Company". To keep the name, call the property company and write columns: { company: "Firm" }.';

  test("gives its property a new name, which the report tells", async () => {
    await pull();
    alter("alter table Customer rename column Company to Firm");
    const [result, report] = await pull();
    expect([result, report]).toEqual([
      "success",
      expect.stringContaining(`  ~ customer.ts  + firm, - company\n${NOTE}\n`),
    ]);
    edit("customer.ts", "  firm: edm.string()", "  company: edm.string()");
    edit("customer.ts", '    firm: "Firm"', '    company: "Firm"');
    expect(await pull({ check: true })).toEqual(["success", expect.stringContaining("14 unchanged.")]);
    expect(await application.typeCheck()).toBe("");
  });

  test("leaves the name of a property that you edited, with --keep-mine and in later pulls", async () => {
    alter("create table Label (LabelId integer primary key, Name text not null, Name2 text)");
    await pull();
    edit("customer.ts", "  company: edm.string()", "  company: edm.string({ minLength: 2 })");
    edit("invoice.ts", "  customerId: edm.int64(),", "  customerId: edm.int64(), // Who pays.");
    edit("employee.ts", "  fax: edm.string()", "  telefax: edm.string()");
    edit("employee.ts", '    fax: "Fax"', '    telefax: "Fax"');
    edit("label.ts", "  name: edm.string()", "  name: edm.string({ minLength: 1 })");
    alter(
      "alter table Customer rename column Company to Firm",
      "alter table Invoice rename column CustomerId to PayerId",
      "alter table Employee rename column Fax to FaxNumber",
      "alter table Label rename column Name to Title",
    );
    const [refused, report] = await pull();
    expect([refused, report]).toEqual(["findings", expect.stringContaining(NOTE)]);
    const [result, settled] = await pull({ "keep-mine": true });
    expect(result).toBe("success");
    expect(settled).not.toContain("is now");
    expect(settled).toContain(
      '      company keeps its name, over "Firm" in place of "Company". If that is not the same data, remove the property.\n',
    );
    const files = filesOf();
    expect(files["customer.ts"]).toMatch(
      / {2}company: edm\.string\(\{ minLength: 2 \}\)[^]* {4}company: "Firm",[^]* {4}invoices: hasMany\(\(\) => Invoice, \{\n {6}on: \{ customerId: "customerId" \}/,
    );
    expect(files["invoice.ts"]).toMatch(
      /int64\(\), \/\/ Who pays\.[^]* {4}customerId: "PayerId",[^]* {4}customer: hasRe/,
    );
    expect(files["employee.ts"]).toMatch(/ {2}telefax: edm[^]* {4}telefax: "FaxNumber",/);
    expect(files["label.ts"]).toMatch(/columns: \{\n {4}labelId: "LabelId",\n {4}name: "Title",/);
    alter("alter table Customer add column VatId text", "alter table Label add column Name text");
    expect((await pull())[0]).toBe("success");
    expect(filesOf()["customer.ts"]).toContain('    company: "Firm",');
    // The new column must not take the name of the old one.
    expect(filesOf()["label.ts"]).toMatch(
      / {2}name3: edm[^]* {4}name: "Title",\n {4}name2: "Name2",\n {4}name3: "Name",/,
    );
    expect(await pull({ check: true })).toEqual(["success", expect.stringContaining("15 unchanged.")]);
    expect(await application.typeCheck()).toBe("");
  });
});

test("the program writes modules with the $metadata of odatakit serve, and no password", async () => {
  const ended = new AbortController();
  let ready = (_url: string): void => undefined;
  const url = new Promise<string>((resolve) => {
    ready = resolve;
  });
  const folder = application.path;
  const served = runProgram(["serve", "chinook.db", "--port=0", "--json"], {
    folder,
    signal: ended.signal,
    onLine: (line) => ready((JSON.parse(line) as { readonly url: string }).url),
  });
  const metadata = await (await fetch(`${await url}/$metadata`)).text();
  ended.abort();
  expect((await served).code).toBe(0);
  const environment = { DATABASE_URL: "file:./chinook.db" };
  const { code, out, err } = await runProgram(["pull", "--out", "m"], { folder, environment });
  expect([code, out.split("\n")[0], err]).toEqual([0, "  + album.ts           new table main.Album", err]);
  expect(filesOf()["database.ts"]).toContain('?? "chinook.db"');
  const child = await application.run(process.execPath, ["--conditions=source", "--no-warnings", "m/service.ts"], {
    PORT: "0",
    NODE_OPTIONS: `--import=${STOP_WHEN_ASKED}`,
  });
  expect(child.output).toBe(metadata);
});

describe("--tables", () => {
  test("adds tables to the tables pulled before", async () => {
    expect((await pull({ tables: ["Artists"] }))[0]).toBe("usage");
    expect((await pull({ tables: ["Artist,main.Alb*"] }))[0]).toBe("success");
    expect(readdirSync(path("."))).toEqual([
      ".odatakit",
      "album.ts",
      "artist.ts",
      "database.ts",
      "index.ts",
      "service.ts",
    ]);
    expect(filesOf()["album.ts"]).not.toContain("track");
    expect((await pull({ tables: ["Track"] }))[0]).toBe("success");
    expect(filesOf()["album.ts"]).toContain("tracks: hasMany");
    expect(filesOf()["track.ts"]).not.toContain("Genre.ts");
    expect(filesOf()["index.ts"]).toContain("  albums,\n  artists,\n  tracks,\n]");
  });
});

describe("nothing is written", () => {
  test.each<[string, Invocation["options"], string]>([
    ["without --out", { out: undefined }, "No folder is given."],
    ["into a file", { out: "chinook.db" }, '"chinook.db" is not a folder.'],
    ["for an unknown table", { tables: ["Nope"] }, 'No published table or view is named "Nope".'],
  ])("%s", async (_title, options, message) => {
    expect(await pull(options)).toEqual(["usage", expect.stringContaining(message)]);
    expect(existsSync(path("."))).toBe(false);
  });

  test("with --check and --dry-run", async () => {
    expect(await pull({ check: true })).toEqual(["findings", expect.stringContaining("+ album.ts")]);
    expect(await pull({ "dry-run": true })).toEqual(["success", expect.stringContaining("+++ album.ts")]);
    expect(existsSync(path("."))).toBe(false);
  });

  test("if the database cannot be read, or has no tables", async () => {
    const problem = unavailable("The database is down.", "Start it.");
    expect(await pull({}, () => Promise.resolve([problem]))).toEqual([
      "unavailable",
      "odatakit: The database is down. Start it.",
    ]);
    const described = { kind: "sqlite", enumTypes: [], sets: [], warnings: [] } as const;
    const empty = { described, database: { kind: "sqlite", file: "a.db" }, service: {} } as const;
    expect(await pull({}, () => Promise.resolve(empty))).toEqual([
      "nothing",
      expect.stringContaining("nothing to publish"),
    ]);
    expect(existsSync(path("."))).toBe(false);
  });

  test("if the folder cannot be made", async () => {
    rmSync(path("."), { recursive: true, force: true });
    expect(await pull({ out: "chinook.db/m" })).toEqual(["usage", expect.stringContaining("Nothing was written")]);
  });
});
