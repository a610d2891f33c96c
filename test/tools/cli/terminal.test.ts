import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/tools/cli/commands.ts";
import { manyTables } from "../../fixtures/databases/many-tables.ts";
import { build, startBuilt } from "./built-program.ts";
import { HAS_TERMINAL, readable, runOnTerminal, type TerminalRun } from "./on-terminal.ts";
import { testFolder, writeDatabase } from "./run-program.ts";

const INTERRUPT = "\u0003";
const CLEAR_LINE = "\r\u001B[K";

beforeAll(build);

/** Returns a text that people can read, without the progress of slow work. */
function withoutProgress(text: string): string {
  return readable(text).replaceAll(/(?:␍␛\[K[^␍␛\n]*…)+␍␛\[K/g, "");
}

/** Replaces the parts that differ between two runs. */
function steady({ code, text }: TerminalRun): string {
  return `${withoutProgress(text)}exit code ${String(code)}\n`
    .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
    .replaceAll(/odatakit \d+\.\d+\.\d+[\w.-]*/g, "odatakit 1")
    .replaceAll(/SQLite \d[\d.]*/g, "SQLite 3")
    .replaceAll(/\b[\d.]+ ms\b/g, "9 ms")
    .replaceAll(/scrypt\$\S+/g, "scrypt$…");
}

function writeMany(folder: string): void {
  const database = new DatabaseSync(join(folder, "many.db"));
  database.exec(`begin;${manyTables("sqlite").join(";")};commit`);
  database.close();
}

/** Makes a folder with the shop, and a pulled model whose user renamed a property of a column that is dropped. */
async function conflictFolder(): Promise<string> {
  const folder = testFolder();
  const file = writeDatabase(folder);
  await runOnTerminal("odatakit pull shop.db --out m --quiet || odatakit pull shop.db --out m", { folder });
  const path = join(folder, "m/order.ts");
  writeFileSync(path, readFileSync(path, "utf8").replace("  note: edm", "  remark: edm"));
  const database = new DatabaseSync(file);
  database.exec(
    "drop view big_orders; alter table orders drop column note; alter table customers add column city text",
  );
  database.close();
  return folder;
}

/** A command line, and the input to type as soon as a text appears. */
type Line = readonly [name: string, line: string, typed: Readonly<Record<string, string>>];

const LINES: readonly Line[] = [
  ["help", "odatakit --help", {}],
  ...COMMANDS.map(({ name }): Line => [`help-${name}`, `odatakit ${name} --help`, {}]),
  ["mistyped-command", "odatakit srve shop.db", {}],
  ["mistyped-flag", "odatakit serve shop.db --prot 1", {}],
  ["missing-file", "odatakit inspect missing.db", {}],
  ["inspect", "odatakit inspect shop.db", {}],
  ["query", 'odatakit query shop.db "Orders?$top=1" --sql'.replace("$", "\\$"), {}],
  ["hash", "odatakit hash ada", { "Password of ada": "a-long-password\r" }],
  ["serve", "exec odatakit serve shop.db --port 0", { "Stop   Ctrl+C": INTERRUPT }],
  ["pull", "odatakit pull shop.db --out model", {}],
];

describe.skipIf(!HAS_TERMINAL)("on a terminal", () => {
  describe.each([80, 40])("of %i columns", (columns) => {
    test.each<Line>(LINES)("%s", async (name, line, typed) => {
      const folder = testFolder();
      writeDatabase(folder);
      const run = await runOnTerminal(line, { folder, columns, typed });
      await expect(steady(run)).toMatchFileSnapshot(`terminal/${name}-${String(columns)}.snap`);
    });
  });

  test("pull shows a conflict", async () => {
    const run = await runOnTerminal("odatakit pull shop.db --out m", { folder: await conflictFolder() });
    await expect(steady(run)).toMatchFileSnapshot("terminal/pull-conflict.snap");
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["odatakit inspect shop.db", { NO_COLOR: "1" }],
    ["odatakit inspect shop.db | cat", {}],
    ["odatakit inspect shop.db --json", {}],
  ])("%s %j shows no colours", async (line, environment) => {
    const folder = testFolder();
    writeDatabase(folder);
    expect(withoutProgress((await runOnTerminal(line, { folder, environment })).text)).not.toContain("␛");
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["odatakit inspect shop.db", { TERM: "dumb" }],
    ["odatakit inspect missing.db 2>&1 | cat", {}],
    ["odatakit inspect shop.db --json 2>&1 | cat", {}],
  ])("%s %j writes no escape sequence", async (line, environment) => {
    const folder = testFolder();
    writeDatabase(folder);
    expect((await runOnTerminal(line, { folder, environment })).text).not.toContain("\u001B");
  });

  test("long work shows its progress, and erases it", async () => {
    const folder = testFolder();
    writeMany(folder);
    const { text, code } = await runOnTerminal("odatakit inspect many.db", { folder, columns: 12 });
    expect(code).toBe(0);
    // The progress fits the terminal.
    expect(text).toContain(`${CLEAR_LINE}Reading its`);
    expect(text.slice(0, text.indexOf("SQLite "))).satisfy((before: string) => before.endsWith(CLEAR_LINE));
    const serving = await runOnTerminal("exec odatakit serve many.db --port 0", {
      folder,
      typed: { "Stop   Ctrl+C": INTERRUPT },
    });
    expect(serving.code).toBe(0);
    expect(serving.text).toContain(`${CLEAR_LINE}Starting the service …`);
  });

  test.each([
    "odatakit inspect many.db --json > out.json",
    "odatakit inspect many.db 2>&1 | cat",
    "CI=1 odatakit inspect many.db > out.txt",
  ])("%s shows no progress", async (line) => {
    const folder = testFolder();
    writeMany(folder);
    expect((await runOnTerminal(line, { folder })).text).not.toContain("Reading");
  });

  test("Ctrl+C during the start ends the program at once", async () => {
    const folder = testFolder();
    writeMany(folder);
    const { code, text } = await runOnTerminal("exec odatakit serve many.db --port 0", {
      folder,
      typed: { "Reading its": INTERRUPT },
    });
    expect(code).toBe(0);
    expect(text).not.toContain("Service ");
  });
});

test("SIGINT lets open requests finish", async () => {
  const folder = testFolder();
  const file = writeDatabase(
    folder,
    `create table rows_ (id integer primary key, name text not null);
     with recursive n (i) as (select 1 union all select i + 1 from n where i < 400000)
     insert into rows_ select i, 'Name ' || i || ' of many rows' from n;`,
  );
  const { url, end } = await startBuilt(file, "--search", "off");
  // The first request loads code and opens the connection for the second one.
  await (await fetch(`${url}/Rows(1)`)).text();
  const slow = fetch(`${url}/Rows?$filter=contains(tolower(Name),'zzz')&$count=true`);
  // The program reads requests in order: it has begun the slow one.
  await (await fetch(`${url}/$metadata`)).text();
  const [response, code] = await Promise.all([slow, end()]);
  expect([response.status, code]).toEqual([200, 0]);
  expect(await response.json()).toMatchObject({ "@odata.count": 0 });
});

test.skipIf(!existsSync("/bin/bash"))("a closed pipe is not a crash", async () => {
  const folder = testFolder();
  writeMany(folder);
  for (const line of [
    "inspect many.db | head -1",
    "inspect missing.db 2>&1 | true",
    "inspect many.db --json | head -1",
  ]) {
    const { text } = await runOnTerminal(`bash -c 'odatakit ${line}; echo " codes \${PIPESTATUS[@]}"'`, { folder });
    expect(text).toMatch(/ codes [03] 0/);
    expect(text).not.toMatch(/ at |EPIPE/);
  }
});
