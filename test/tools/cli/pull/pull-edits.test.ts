import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SAMPLES, writeSample } from "../../../fixtures/databases/load.ts";
import { ROOT } from "../../../house/source-files.ts";
import { type ApplicationFolder, makeApplicationFolder } from "../../declarations/code/application-folder.ts";
import { runProgram, type Run } from "../run-program.ts";

let application: ApplicationFolder;

beforeEach(() => {
  application = makeApplicationFolder();
});

afterEach(() => {
  application.remove();
});

const pull = (...flags: readonly string[]): Promise<Run> =>
  runProgram(["pull", "chinook.db", "--out", "m", ...flags], { folder: application.path });

const path = (name: string): string => join(application.path, "m", name);

const textOf = (name: string): string => readFileSync(path(name), "utf8");

function edit(name: string, ...pairs: ReadonlyArray<readonly [from: string, to: string]>): void {
  let text = textOf(name);
  for (const [from, to] of pairs) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  writeFileSync(path(name), text);
}

/** Runs the linter of this project. Tables that refer to each other import each other. */
async function lint(folder: string): Promise<string> {
  cpSync(join(ROOT, ".oxlintrc.json"), join(application.path, ".oxlintrc.json"));
  const program = join(ROOT, "node_modules/oxlint/bin/oxlint");
  return (
    await application.run(process.execPath, [
      program,
      "--allow=import/no-cycle",
      "--ignore-pattern=**/.odatakit",
      folder,
    ])
  ).output;
}

test("edits of every kind survive changes of every kind", async () => {
  await writeSample("chinook", join(application.path, "chinook.db"));
  expect((await pull()).code).toBe(0);

  // A renamed property, and one with other options.
  edit(
    "album.ts",
    ["  title: edm.string()", "  name: edm.string({ maxLength: 160 })"],
    ['title: "Title"', 'name: "Title"'],
  );
  edit("album.ts", ['search: ["title"]', 'search: ["name"]']);
  // A handler, with an import and its own file.
  writeFileSync(
    path("names.ts"),
    "export const trimmed = (name: string | null): string | null => name?.trim() ?? null;\n",
  );
  edit(
    "artist.ts",
    [
      'import { db } from "./database.ts";\n',
      'import { db } from "./database.ts";\nimport { trimmed } from "./names.ts";\n',
    ],
    [
      'operations: ["read"],',
      'operations: ["read", "create"],\n  create: (artist) => ({ artistId: 0n, ...artist, name: trimmed(artist.name) }),',
    ],
  );
  // Own comments.
  edit("customer.ts", ["export const Customer =", "// Who buys.\nexport const Customer ="]);
  edit("customer.ts", ["  phone: edm.string().nullable(),", "  phone: edm.string().nullable(), // with the country"]);
  // Other order.
  edit("employee.ts", [
    "  lastName: edm.string(),\n  firstName: edm.string(),",
    "  firstName: edm.string(),\n  lastName: edm.string(),",
  ]);
  // A navigation less, on both sides.
  const genre = textOf("genre.ts");
  edit("genre.ts", [/ {2}navigation: \{[^]*?\n {2}\},\n/.exec(genre)?.[0] ?? "-", ""]);
  edit("genre.ts", ['import { Track } from "./track.ts";\n', ""], ["entityType, hasMany }", "entityType }"]);
  edit("track.ts", ['      partner: "tracks",\n    }),\n    mediaType', "    }),\n    mediaType"]);
  const edited = Object.fromEntries(["names.ts", "service.ts"].map((name) => [name, textOf(name)]));

  const database = new DatabaseSync(join(application.path, "chinook.db"));
  for (const statement of [
    ...["Album", "Artist", "Customer", "Employee", "Genre"].map(
      (table) => `alter table ${table} add column Added text`,
    ),
    "alter table Customer drop column Fax",
    "create table Label (LabelId integer primary key, Name text not null)",
    "drop table PlaylistTrack",
    "alter table MediaType rename to MediaKind",
  ]) {
    database.exec(statement);
  }
  database.close();

  const merged = await pull();
  expect([merged.code, merged.out]).toEqual([0, expect.stringContaining("+ label.ts")]);
  expect(existsSync(path("playlist-track.ts"))).toBe(false);
  expect([existsSync(path("media-type.ts")), existsSync(path("media-kind.ts"))]).toEqual([false, true]);
  expect(textOf("album.ts")).toMatch(
    / {2}name: edm\.string\(\{ maxLength: 160 \}\),\n[^]* {2}added: edm[^]*name: "Title"/,
  );
  expect(textOf("artist.ts")).toMatch(/import \{ trimmed \}[^]*added: edm[^]*"create"\],\n {2}create:/);
  expect(textOf("customer.ts")).toMatch(/\/\/ Who buys\.\n[^]*phone: .*\/\/ with the country\n[^]*added: edm/);
  expect(textOf("customer.ts")).not.toMatch(/fax/i);
  expect(textOf("employee.ts")).toMatch(/firstName: edm\.string\(\),\n {2}lastName: edm\.string\(\),[^]*added: edm/);
  expect(textOf("genre.ts")).toMatch(/added: edm/);
  expect(textOf("genre.ts")).not.toContain("navigation");
  for (const [name, text] of Object.entries(edited)) expect(textOf(name)).toBe(text);
  expect((await pull("--check")).code).toBe(0);

  expect(await application.typeCheck()).toBe("");
  expect(await lint("m")).toContain("Found 0 warnings and 0 errors.");
  const program = `const { service } = await import("./m/service.ts");
    await service.ready();
    const response = await service.fetch(new Request("http://localhost/odata/Albums?$expand=Artist&$top=1"));
    process.stdout.write(await response.text());`;
  const given = ["--conditions=source", "--no-warnings", "--input-type=module", "-e", program];
  const { output } = await application.run(process.execPath, given);
  expect(JSON.parse(output)).toMatchObject({ value: [{ Name: expect.any(String), Artist: expect.any(Object) }] });
});

test("pulled code of all samples passes the strict compiler and the linter", async () => {
  for (const sample of SAMPLES) {
    await writeSample(sample, join(application.path, `${sample}.db`));
    const given = ["pull", `${sample}.db`, "--out", `m/${sample}`];
    expect((await runProgram(given, { folder: application.path })).code).toBe(0);
    expect(readdirSync(path(sample)).length).toBeGreaterThan(10);
  }
  expect(await application.typeCheck()).toBe("");
  expect(await lint("m")).toContain("Found 0 warnings and 0 errors.");
});
