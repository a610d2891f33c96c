import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/tools/cli/open-database.ts";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { FailedStatements } from "../../../src/tools/cli/serve/failed-statements.ts";
import { watchDatabase } from "../../../src/tools/cli/serve/watch-database.ts";
import { until } from "../../timers.ts";
import { runProgram, testFolder, writeDatabase, type Run } from "./run-program.ts";

const { ODATAKIT_POSTGRES: postgres } = process.env;

async function start(given: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const ending = new AbortController();
  let run: Promise<Run> | undefined;
  let reported = "";
  const url = await new Promise<string>((resolve) => {
    run = runProgram(["serve", ...given, "--port", "0", "--json"], {
      signal: ending.signal,
      environment,
      onLine: (line) => resolve((JSON.parse(line) as { url: string }).url),
      onReport: (line) => (reported += line),
    });
  });
  const read = async (path: string): Promise<string> => (await fetch(`${url}/${path}`)).text();
  const end = async (): Promise<string> => {
    ending.abort();
    return (await run)?.err ?? "";
  };
  return { url, read, end, hasReported: (text: string) => until(() => reported.includes(text)) };
}

test("opens a replaced file again, and keeps the service if the file disappears", async () => {
  const folder = testFolder();
  const file = writeDatabase(folder);
  const { read, end, hasReported } = await start([file, "--watch", "50ms"]);
  expect(await read("Orders?$count=true&$top=0")).toContain('"@odata.count":2');
  const other = writeDatabase(
    folder,
    "create table orders (id integer primary key, colour text); insert into orders values (7, 'red')",
    "new.db",
  );
  renameSync(other, file);
  await until(async () => (await read("Orders")).includes('"Colour":"red"'));
  expect(await read("Customers")).toContain("NotFound");
  // The new file is watched too.
  const database = new DatabaseSync(file);
  database.exec("alter table orders add column size integer");
  database.close();
  await until(async () => (await read("Orders")).includes('"Size":null'));
  rmSync(file);
  await hasReported("cannot be served, so the service stays: ENOENT");
  expect(await read("Orders")).toContain('"Colour":"red"');
  renameSync(writeDatabase(folder, "create table parts (id integer primary key)", "third.db"), file);
  await until(async () => (await read("Parts")).includes('"value":[]'));
  const err = await end();
  expect(err).toContain("cannot be served, so the service stays: ENOENT");
  expect(err).toContain("The service follows it.");
});

test("a write to a file that was replaced is 503, and makes the service open the new file at once", async () => {
  const folder = testFolder();
  const file = writeDatabase(folder);
  const environment = { ODATAKIT_API_KEYS: "a-key-for-writers-of-tests:write" };
  const { url, end } = await start([file, "--watch", "60m", "--auth", "key", "--write"], environment);
  const headers = { "Content-Type": "application/json", "X-Api-Key": "a-key-for-writers-of-tests" };
  const post = (id: number): Promise<Response> =>
    fetch(`${url}/Parts`, { method: "POST", headers, body: JSON.stringify({ Id: id }) });
  const patched = await fetch(`${url}/Orders(1)`, { method: "PATCH", headers, body: "{}" });
  expect(patched.status).toBe(200);
  renameSync(writeDatabase(folder, "create table parts (id integer primary key)", "new.db"), file);
  const refused = await fetch(`${url}/Orders(1)`, { method: "DELETE", headers });
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
  await until(async () => (await post(7)).status === 201);
  const database = new DatabaseSync(file);
  expect(database.prepare("select count(*) as count from parts").get()).toEqual({ count: 1 });
  database.close();
  expect(await end()).toContain(`The SQLite file ${file} is now another file`);
});

test("a statement that fails although the schema is the same is 503 once, then 500", async () => {
  const folder = testFolder();
  const file = writeDatabase(folder);
  const database = new DatabaseSync(file);
  // The trigger is no part of the schema that is served: its statement fails like one over a table that was dropped.
  database.exec("create trigger failing before delete on orders begin insert into gone values (1); end");
  database.close();
  const environment = { ODATAKIT_API_KEYS: "a-key-for-writers-of-tests:write" };
  const { url, end } = await start([file, "--watch", "60m", "--auth", "key", "--write"], environment);
  const remove = async (): Promise<readonly [number, string]> => {
    const headers = { "X-Api-Key": "a-key-for-writers-of-tests" };
    const response = await fetch(`${url}/Orders(1)`, { method: "DELETE", headers });
    return [response.status, await response.text()];
  };
  expect(await remove()).toEqual([503, expect.stringContaining("which may have changed: the service reads it again.")]);
  await until(async () => (await remove())[0] === 500);
  expect(await end()).toContain("no such table: main.gone");
});

test("keeps the service if the file is not a database", async () => {
  const folder = testFolder();
  const file = writeDatabase(folder);
  const { read, end, hasReported } = await start([file, "--watch", "50ms"]);
  writeDatabase(folder, "create table empty_key (x real)", "new.db");
  renameSync(join(folder, "new.db"), join(folder, "kept.db"));
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(folder, "text.db"), "no database at all, but a text");
  renameSync(join(folder, "text.db"), file);
  await hasReported("is not a SQLite database");
  expect(await read("Orders(1)")).toContain('"Id":1');
  expect(await end()).toContain("is not a SQLite database");
});

test("SIGHUP reads the schema again, also without a watch", async () => {
  const file = writeDatabase(testFolder());
  const { read, end } = await start([file, "--watch", "off"]);
  const database = new DatabaseSync(file);
  database.exec("alter table orders add column size integer");
  database.close();
  process.emit("SIGHUP");
  await until(async () => (await read("$metadata")).includes('Name="Size"'));
  expect(await end()).toContain("The schema of the database has changed. The service follows it.");
});

test("a wish during a look is not lost", async () => {
  const ended = new AbortController();
  let looks = 0;
  const watch = watchDatabase({
    served: "same",
    failed: new FailedStatements(),
    interval: null,
    signal: ended.signal,
    look: async () => {
      looks += 1;
      if (looks === 1) watch.look();
      await sleep(5);
      return "same";
    },
    reload: () => Promise.resolve(),
    report: () => undefined,
  });
  watch.look();
  await until(() => looks === 2);
  await sleep(20);
  expect(looks).toBe(2);
  ended.abort();
  await watch.ended;
});

test.skipIf(postgres === undefined)("NOTIFY odatakit reloads at once, also after the connection was lost", async () => {
  const opened = await openDatabase(
    { kind: "postgres", url: postgres ?? "" },
    { timeout: 5000, pool: 1, mayWrite: true, folder: "." },
  );
  if (isProblem(opened)) return expect.fail(opened.message);
  await sql`drop schema if exists cli_notify cascade`.execute(opened.db);
  await sql`create schema cli_notify`.execute(opened.db);
  await sql`create table cli_notify.parts (id int primary key)`.execute(opened.db);
  const { read, end } = await start([postgres ?? "", "--schema", "cli_notify", "--watch", "10m"]);
  const listeners = async (): Promise<number> => {
    const { rows } = await sql<{
      pid: number;
    }>`select pid from pg_stat_activity where query = 'listen odatakit'`.execute(opened.db);
    return rows.length;
  };
  await until(async () => (await listeners()) > 0);
  await sql`alter table cli_notify.parts add column size int`.execute(opened.db);
  await sql`notify odatakit`.execute(opened.db);
  await until(async () => (await read("$metadata")).includes('Name="Size"'));
  await sql`alter table cli_notify.parts add column colour int`.execute(opened.db);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen odatakit'`.execute(opened.db);
  await until(async () => (await read("$metadata")).includes('Name="Colour"'));
  await end();
  await until(async () => (await listeners()) === 0);
  await sql`drop schema cli_notify cascade`.execute(opened.db);
  await opened.close();
  return undefined;
});
