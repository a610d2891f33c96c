import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { runProgram, testFolder, writeDatabase, type Run } from "./run-program.ts";

/** A password, and forms of it in URLs that are written wrongly. */
const PASSWORD = "gEhe1m-Wort";
const ENCODED = "gEhe1m%2DWort";

const COMMANDS: readonly (readonly string[])[] = [
  ["serve", "--port", "0", "--json"],
  ["serve", "--port", "0"],
  ["inspect"],
  ["inspect", "--json"],
  ["query"],
  ["query", "--sql"],
  ["pull", "--out", "m"],
  ["check", "--url"],
];

/** URLs that lead nowhere, or are wrong. */
const TARGETS: readonly string[] = [
  ...["postgres", "mariadb", "mysql", "postgresql"].flatMap((scheme) => [
    `${scheme}://me:${PASSWORD}@127.0.0.1:1/shop`,
    `${scheme}://me:${ENCODED}@127.0.0.1:1/shop`,
    `${scheme}://me:${PASSWORD}@host.invalid/shop`,
    `${scheme}://me:${PASSWORD}@127.0.0.1:99999/shop`,
    `${scheme}://me:${PASSWORD}#1@127.0.0.1/shop`,
    `${scheme}://me:a/${PASSWORD}@127.0.0.1/shop`,
    `${scheme}://me:${PASSWORD} x@127.0.0.1/shop`,
    `${scheme}://me:%${PASSWORD}@127.0.0.1/shop`,
    `${scheme}://127.0.0.1:1/shop?password=${PASSWORD}`,
    `${scheme}://127.0.0.1:1/shop?user=me&pass=${PASSWORD}`,
    `${scheme}://me:${PASSWORD}@`,
    `${scheme}:me:${PASSWORD}@127.0.0.1/shop`,
  ]),
  `host=127.0.0.1 password=${PASSWORD}`,
  `me:${PASSWORD}@127.0.0.1/shop`,
  `postgrs://me:${PASSWORD}@127.0.0.1/shop`,
  `jdbc:postgresql://127.0.0.1/shop?password=${PASSWORD}`,
  `mongodb://me:${PASSWORD}@127.0.0.1/shop`,
  `file:./missing.db?password=${PASSWORD}`,
];

function expectNoPassword(run: Run): void {
  for (const text of [run.out, run.err]) {
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain(ENCODED);
  }
}

test.each(TARGETS)("the password of %s is printed by no command", async (target) => {
  const folder = testFolder();
  for (const [command = "", ...flags] of COMMANDS) {
    const request = command === "query" ? ["Orders"] : [];
    const given = flags.includes("--url") ? [command, ...flags, target] : [command, target, ...request, ...flags];
    const direct = await runProgram(given, { folder });
    expectNoPassword(direct);
    expect(direct.code).not.toBe(0);
  }
  const hidden = await runProgram(["inspect"], { folder, environment: { DATABASE_URL: target } });
  expectNoPassword(hidden);
  expect(hidden.code).not.toBe(0);
});

describe("settings that contain a password", () => {
  test.each([
    `{"url":"postgres://me:${PASSWORD}@db/shop"}`,
    `{"password":"${PASSWORD}"}`,
    `{"auth":"${PASSWORD}"}`,
    `{"cors":"postgres://me:${PASSWORD}@db/shop"}`,
    `{"include":{"a":"${PASSWORD}"}}`,
    `{"names":{"a":"postgres://me:${PASSWORD}@db/shop"}}`,
    `{"password":"${PASSWORD}"`,
    `{"password":"${PASSWORD}",}`,
    `postgres://me:${PASSWORD}@db/shop`,
  ])("%s", async (text) => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "odatakit.json"), text);
    const ended = new AbortController();
    ended.abort();
    for (const command of ["serve", "inspect", "pull"]) {
      expectNoPassword(await runProgram([command, "shop.db"], { folder, signal: ended.signal }));
    }
  });

  test.each([
    ["--password", PASSWORD],
    [`--password=${PASSWORD}`],
    [`--db=postgres://me:${PASSWORD}@db/shop`],
    ["--cors", `postgres://me:${PASSWORD}@db/shop`],
    ["--host", `postgres://me:${PASSWORD}@db/shop`],
    [`postgres://me:${PASSWORD}@db/shop`],
    ["--auth", "key"],
  ])("%s %s", async (...flags) => {
    const folder = testFolder();
    writeDatabase(folder);
    const environment = { ODATAKIT_API_KEYS: `${PASSWORD}:wrong`, ODATAKIT_SECRET: PASSWORD };
    const ended = new AbortController();
    ended.abort();
    const settings = { folder, environment, signal: ended.signal };
    expectNoPassword(await runProgram(["serve", "shop.db", "--port", "0", ...flags], settings));
  });
});

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mysql } = process.env;

describe.each([
  ["PostgreSQL", postgres],
  ["MariaDB", mysql],
])("the password for %s", (_title, server) => {
  test.skipIf(server === undefined)("is printed neither when it is accepted nor when it is refused", async () => {
    const folder = testFolder();
    for (const [user, database] of [
      ["", ""],
      ["nobody-of-this-name", ""],
      ["", "/no_such_database"],
    ] as const) {
      const url = new URL(server ?? "");
      url.password = PASSWORD;
      if (user !== "") url.username = user;
      if (database !== "") url.pathname = database;
      for (const flags of [["--json"], ["--schema", "no_such_schema"]]) {
        expectNoPassword(await runProgram(["inspect", url.href, ...flags], { folder }));
        const ended = new AbortController();
        ended.abort();
        const settings = { folder, signal: ended.signal, environment: { DATABASE_URL: url.href } };
        expectNoPassword(await runProgram(["serve", "--port", "0", ...flags], settings));
      }
    }
  });
});
