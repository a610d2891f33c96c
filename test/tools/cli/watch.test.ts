import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { FailedStatements } from "../../../src/tools/cli/serve/failed-statements.ts";
import { fingerprint, watchDatabase } from "../../../src/tools/cli/serve/watch-database.ts";
import { ENGINES, type DatabaseEngine, type OpenDatabase } from "../../engine/executors/engines.ts";
import { until } from "../../timers.ts";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";

const KINDS = { sqlite: "sqlite", postgres: "postgres", mariadb: "mariadb" } as const;

/** Opens an empty database that no other test changes, unlike the schemas of the PostgreSQL server. */
async function openOwn(engine: DatabaseEngine): Promise<OpenDatabase> {
  if (engine.title !== "PostgreSQL") return engine.open();
  const { db: admin, close } = await engine.open();
  await sql`drop database if exists cli_watch with (force)`.execute(admin);
  await sql`create database cli_watch`.execute(admin);
  await close();
  const url = new URL(process.env["ODATAKIT_POSTGRES"] ?? "");
  url.pathname = "/cli_watch";
  const db: OpenDatabase["db"] = new Kysely({
    dialect: postgresDialect({ pool: new Pool({ connectionString: url.href, max: 4 }) }),
  });
  return { db, close: () => db.destroy() };
}

describe.each(ENGINES)("a watch over $title", (engine) => {
  test("sees tables, columns and constraints change", async () => {
    const { db, close } = await openOwn(engine);
    const ended = new AbortController();
    let reloads = 0;
    let isBroken = false;
    const reported: string[] = [];
    const watched = { db, kind: KINDS[engine.name], file: null };
    const settings = {
      look: async () => fingerprint(watched),
      served: await fingerprint(watched),
      failed: new FailedStatements(),
      interval: 5,
      signal: ended.signal,
      reload: () => {
        reloads += 1;
        return isBroken ? Promise.reject(new Error("broken")) : Promise.resolve();
      },
      report: (line: string) => reported.push(line),
    };
    const watch = watchDatabase(settings);
    await sleep(50);
    expect(reloads).toBe(0);
    await sql`create table watched (id int primary key)`.execute(db);
    await until(async () => Promise.resolve(reloads === 1));
    isBroken = true;
    await sql`alter table watched add column name varchar(10)`.execute(db);
    // A look after a failure tries again.
    await until(async () => Promise.resolve(reloads > 3));
    isBroken = false;
    await until(async () => Promise.resolve(reported.length === 3));
    const before = reloads;
    await sql`create table watching (id int primary key, other int, foreign key (other) references watched (id))`.execute(
      db,
    );
    await until(async () => Promise.resolve(reloads === before + 1));
    await sql`create unique index watched_name on watched (name)`.execute(db);
    await until(async () => Promise.resolve(reloads === before + 2));
    ended.abort();
    await watch.ended;
    await close();
    const messages = [
      "The schema of the database has changed. The service follows it.",
      "The schema of the database cannot be served, so the service stays: broken",
      "The schema of the database has changed. The service follows it.",
      "The schema of the database has changed. The service follows it.",
      "The schema of the database has changed. The service follows it.",
    ];
    expect(reported).toEqual(messages);
  });
});

test("serve follows a change of the schema without a restart, at once after a failed statement", async () => {
  const folder = testFolder();
  const file = writeDatabase(folder);
  const ending = new AbortController();
  let line = "";
  const given = ["serve", file, "--port", "0", "--json", "--watch", "1m"];
  const run = runProgram(given, { folder, signal: ending.signal, onLine: (text) => (line = text) });
  await until(async () => Promise.resolve(line !== ""));
  const { url } = JSON.parse(line) as { url: string };
  const read = async (path: string): Promise<string> => (await fetch(`${url}/${path}`)).text();
  expect(await read("$metadata")).toContain('Name="Note"');
  const database = new DatabaseSync(file);
  database.exec("alter table orders rename column note to remark");
  database.close();
  await read("Orders");
  await until(async () => (await read("$metadata")).includes('Name="Remark"'));
  expect(await read("Orders?$select=Remark&$top=1")).toContain('"Remark"');
  ending.abort();
  const { code, err } = await run;
  expect([code, err]).toEqual([0, expect.stringContaining("The service follows it.")]);
});

test("an interval must be a time", async () => {
  const folder = testFolder();
  writeDatabase(folder);
  const { code, err } = await runProgram(["serve", "shop.db", "--watch", "often"], { folder });
  expect([code, err]).toEqual([2, expect.stringContaining('`--watch` is "often".')]);
});
