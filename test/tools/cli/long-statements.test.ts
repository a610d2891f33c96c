import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { openDatabase, type OpenedDatabase } from "../../../src/tools/cli/open-database.ts";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { parseTarget } from "../../../src/tools/cli/target.ts";
import { build, startBuilt } from "./built-program.ts";
import { testFolder, writeDatabase } from "./run-program.ts";

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mysql } = process.env;
const NAME = "cli_long_statements";
const TIMEOUT = 2000;
/** Rows whose product of four is years of work. */
const NUMBERS = 2000;

type Kind = "mariadb" | "postgres" | "sqlite";

async function open(target: string): Promise<OpenedDatabase> {
  const parsed = parseTarget(target, {});
  if (isProblem(parsed)) return expect.fail(parsed.message);
  const opened = await openDatabase(parsed, { timeout: 5000, pool: 1, mayWrite: true, folder: "." });
  return isProblem(opened) ? expect.fail(opened.message) : opened;
}

async function makeTarget(kind: Kind): Promise<string> {
  if (kind === "sqlite") return writeDatabase(testFolder(), "");
  const server = kind === "postgres" ? (postgres ?? "") : `${mysql ?? ""}/mysql`;
  const admin = await open(server);
  await sql.raw(`drop database if exists ${NAME}`).execute(admin.db);
  await sql.raw(`create database ${NAME}`).execute(admin.db);
  await admin.close();
  return server.replace(/[^/]*$/, NAME);
}

/** Reads a response, and its milliseconds. */
async function read(url: string, begun: number) {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT * 5) });
  const text = await response.text();
  return { status: response.status, text, elapsed: performance.now() - begun };
}

/** Repeats work until the signal. */
async function repeat(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(50);
  }
}

/** Runs statements in a database. */
async function run(target: string, ...statements: readonly string[]): Promise<void> {
  const { db, close } = await open(target);
  for (const statement of statements) await sql.raw(statement).execute(db);
  await close();
}

/** The view is quick while the table of numbers is empty, as it is when the command starts. */
const TABLES = [
  "create table items (id integer not null primary key)",
  "create table numbers (n integer not null primary key)",
  "insert into items values (1), (2)",
  `create view endless as select i.id, (select count(*) from numbers a, numbers b, numbers c, numbers d
    where a.n + b.n + c.n + d.n > i.id) as total from items i`,
];

beforeAll(build);

test.each<readonly [Kind, string | undefined]>([
  ["postgres", postgres],
  ["mariadb", mysql],
  ["sqlite", ""],
])("a statement that would run for years ends after --timeout, and others go on (%s)", async (kind, server) => {
  if (server === undefined) return;
  const target = await makeTarget(kind);
  await run(target, ...TABLES);
  const flags = ["--timeout", `${String(TIMEOUT)}ms`, "--key", "endless=id", "--watch", "off"];
  const { url, end } = await startBuilt(target, ...flags);
  const quick = async (): Promise<number> => {
    const response = await fetch(`${url}/Items`, { signal: AbortSignal.timeout(TIMEOUT * 5) });
    await response.text();
    return response.status;
  };
  expect(await quick()).toBe(200);
  await run(
    target,
    `insert into numbers values ${Array.from({ length: NUMBERS }, (_, at) => `(${String(at)})`).join()}`,
  );

  // Over SQLite, the sizes of tables are read again after a quarter of a second.
  await sleep(500);
  for (const path of ["Endlesses(1)", "Endlesses?$filter=Total gt 1", "Endlesses/$count?$filter=Total gt 1"]) {
    const begun = performance.now();
    const others: number[] = [];
    const ended = new AbortController();
    const [{ status, text, elapsed }] = await Promise.all([
      read(`${url}/${path}`, begun).finally(() => ended.abort()),
      repeat(async () => others.push(await quick()), ended.signal),
    ]);
    console.info(`${kind} ${path}: ${String(status)} after ${elapsed.toFixed(0)} ms, ${String(others.length)} others`);
    expect([path, status, JSON.parse(text)]).toEqual([path, 503, { error: expect.any(Object) as unknown }]);
    expect(elapsed).toBeGreaterThan(TIMEOUT - 100);
    expect(elapsed).toBeLessThan(TIMEOUT + 1000);
    // A process that waits for the statement answers none.
    expect(others.length).toBeGreaterThan(5);
    expect(new Set(others)).toEqual(new Set([200]));
  }
  // SQLite cannot end a view that it computes as a whole. Its thread keeps the process until the second signal.
  // A thread of SQLite ends with the process only.
  expect(await end(5000)).toBe(kind === "sqlite" ? null : 0);
});
