import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/tools/cli/open-database.ts";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { explainSchemaChange } from "../../../src/tools/cli/serve/make-service.ts";
import { parseTarget } from "../../../src/tools/cli/target.ts";
import { ENGINES } from "../../engine/executors/engines.ts";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";

/** Runs a statement that fails. */
async function failureOf(
  db: (typeof ENGINES)[number] extends { open(): Promise<{ readonly db: infer Db }> } ? Db : never,
  statement: string,
): Promise<unknown> {
  return sql
    .raw(statement)
    .execute(db)
    .then(
      () => expect.fail("The statement succeeded."),
      (error: unknown) => error,
    );
}

test.each(ENGINES)("$title: statements over changed tables and columns are 503", async (engine) => {
  const { db, close } = await engine.open();
  try {
    await sql`create table changed (id int primary key, note int)`.execute(db);
    for (const statement of [
      "select * from gone",
      "select gone from changed",
      "insert into changed (gone) values (1)",
    ]) {
      const error = await failureOf(db, statement);
      const explained = explainSchemaChange(new Error("A statement failed.", { cause: error }));
      expect(explained).toMatchObject({ status: 503, code: "ServiceUnavailable", headers: { "Retry-After": "1" } });
    }
    expect(explainSchemaChange(await failureOf(db, "select from where"))).toBeUndefined();
    expect(explainSchemaChange("no such table: x")).toBeUndefined();
  } finally {
    await sql`drop table changed`.execute(db);
    await close();
  }
});

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mysql } = process.env;

/** Opens a new database for changes of its schema. @returns its target for the command */
async function makeDatabase(kind: "mariadb" | "postgres" | "sqlite") {
  const openAt = async (target: string) => {
    const parsed = parseTarget(target, {});
    if (isProblem(parsed)) return expect.fail(parsed.message);
    const opened = await openDatabase(parsed, { timeout: 5000, pool: 1, mayWrite: true, folder: "." });
    return isProblem(opened) ? expect.fail(opened.message) : opened;
  };
  if (kind === "sqlite") {
    const file = writeDatabase(testFolder(), "create table watched (id int primary key, note int)");
    return { target: file, ...(await openAt(file)) };
  }
  const server = kind === "postgres" ? (postgres ?? "") : `${mysql ?? ""}/mysql`;
  const admin = await openAt(server);
  await sql.raw(`drop database if exists cli_schema_change`).execute(admin.db);
  await sql.raw(`create database cli_schema_change`).execute(admin.db);
  await admin.close();
  const target = server.replace(/[^/]*$/, "cli_schema_change");
  const opened = await openAt(target);
  await sql`create table watched (id int primary key, note int)`.execute(opened.db);
  return { target, ...opened };
}

test("values of another kind are 503, and the service follows them", async () => {
  const file = writeDatabase(testFolder(), "create table watched (id int primary key, n int not null)");
  const database = new DatabaseSync(file);
  database.exec("insert into watched values (1, 5)");
  const ending = new AbortController();
  let served: Promise<unknown> = Promise.resolve();
  const url = await new Promise<string>((resolve) => {
    served = runProgram(["serve", file, "--port", "0", "--json", "--watch", "1m"], {
      signal: ending.signal,
      onLine: (line) => resolve((JSON.parse(line) as { url: string }).url),
    });
  });
  const read = async (): Promise<Response> => fetch(`${url}/Watcheds`);
  expect(await (await read()).json()).toMatchObject({ value: [{ Id: 1, N: 5 }] });
  database.exec("insert into watched values (2, 'many')");
  database.close();
  const first = await read();
  expect([first.status, first.headers.get("Retry-After")]).toEqual([503, "1"]);
  await first.text();
  for (;;) {
    const next = await read();
    const text = await next.text();
    if (next.status === 200) {
      expect(JSON.parse(text)).toMatchObject({
        value: [
          { Id: 1, N: "5" },
          { Id: 2, N: "many" },
        ],
      });
      break;
    }
    expect(next.status).toBe(503);
    await sleep(30);
  }
  ending.abort();
  await served;
});

test.each([
  ["sqlite" as const, true],
  ["postgres" as const, postgres !== undefined],
  ["mariadb" as const, mysql !== undefined],
])("%s: under load, requests follow `alter table` or are 503", async (kind, isThere) => {
  if (!isThere) return;
  const { target, db, close } = await makeDatabase(kind);
  await sql`insert into watched values (1, 5), (2, 6)`.execute(db);
  const ending = new AbortController();
  let served: Promise<unknown> = Promise.resolve();
  const url = await new Promise<string>((resolve) => {
    served = runProgram(["serve", target, "--port", "0", "--json", "--watch", "200ms"], {
      signal: ending.signal,
      onLine: (line) => resolve((JSON.parse(line) as { url: string }).url),
    });
  });
  const over = new AbortController();
  const statuses = new Map<number, number>();
  const load = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      for (const path of ["Watcheds", "Watcheds(1)", "Watcheds?$filter=Id gt 0&$count=true", "$metadata"]) {
        const response = await fetch(`${url}/${path}`);
        await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 503) expect(response.headers.get("Retry-After")).toBe("1");
      }
    }
  });
  const seesColumn = async (name: string): Promise<void> => {
    await expect.poll(async () => (await fetch(`${url}/$metadata`)).text()).toContain(`Name="${name}"`);
  };
  try {
    await sql`alter table watched add column color int`.execute(db);
    await seesColumn("Color");
    await sql`alter table watched rename column note to remark`.execute(db);
    await seesColumn("Remark");
    await sql`alter table watched drop column color`.execute(db);
    await sql`alter table watched add column size int`.execute(db);
    await seesColumn("Size");
    const { value } = (await (await fetch(`${url}/Watcheds`)).json()) as { value: readonly object[] };
    expect(value).toMatchObject([
      { Id: 1, Remark: 5, Size: null },
      { Id: 2, Remark: 6, Size: null },
    ]);
  } finally {
    over.abort();
    await Promise.allSettled(load);
    ending.abort();
    await close();
    await served;
  }
  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(10);
});
