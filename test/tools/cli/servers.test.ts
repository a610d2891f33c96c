import process from "node:process";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/tools/cli/open-database.ts";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { runProgram, testFolder } from "./run-program.ts";

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mysql } = process.env;
const SETTINGS = { timeout: 2000, pool: 2, mayWrite: false, folder: "." };

/** Opens a database, and closes it after the test. */
async function open(target: Parameters<typeof openDatabase>[0], mayWrite = false) {
  const opened = await openDatabase(target, { ...SETTINGS, mayWrite });
  if (isProblem(opened)) expect.fail(opened.message);
  return opened;
}

describe.skipIf(postgres === undefined)("PostgreSQL", () => {
  const url = postgres ?? "";

  test.each([
    [false, "on"],
    [true, "off"],
  ])("sessions are in UTC, limited, and read-only unless requests write (%s)", async (mayWrite, readOnly) => {
    const { db, close } = await open({ kind: "postgres", url }, mayWrite);
    const { rows } = await sql<object>`select current_setting('TimeZone') as zone,
      current_setting('statement_timeout') as timeout, current_setting('default_transaction_read_only') as readonly,
      current_setting('application_name') as name, current_setting('jit') as jit`.execute(db);
    await close();
    expect(rows).toEqual([{ zone: "UTC", timeout: "2s", readonly: readOnly, name: "odatakit", jit: "off" }]);
  });

  test("inspect describes a schema", async () => {
    const { db, close } = await open({ kind: "postgres", url }, true);
    await sql`create schema if not exists cli_test`.execute(db);
    await sql`create table if not exists cli_test.items (id int primary key, at timestamptz)`.execute(db);
    const { code, out } = await runProgram(["inspect", url, "--schema", "cli_test"]);
    await sql`drop schema cli_test cascade`.execute(db);
    await close();
    expect(code).toBe(0);
    expect(out).toContain("CliTestItems  table cli_test.items, key Id (primary key)");
  });

  test("a database without this name is explained", async () => {
    const { code, err } = await runProgram(["inspect", url.replace(/\/[^/]*$/, "/no_such_database")]);
    expect([code, err]).toEqual([3, expect.stringContaining("has no database of this name")]);
  });
});

describe.skipIf(mysql === undefined)("MariaDB", () => {
  const url = mysql ?? "";

  test.each([
    [false, 1],
    [true, 0],
  ])("sessions are in UTC, limited, and read-only unless requests write (%s)", async (mayWrite, readOnly) => {
    const { db, close } = await open({ kind: "mariadb", url: url.replace("mysql:", "mariadb:") }, mayWrite);
    const { rows } = await sql<object>`select @@time_zone as zone, @@max_statement_time + 0 as timeout,
      @@tx_read_only as readonly`.execute(db);
    await close();
    expect(rows).toMatchObject([{ zone: "+00:00", readonly: readOnly }]);
    expect(Number((rows[0] as { timeout: unknown }).timeout)).toBe(2);
  });

  test("a URL without a database is explained", async () => {
    const { code, err } = await runProgram(["inspect", url]);
    expect([code, err]).toEqual([3, expect.stringContaining("names no database")]);
  });
});

test("a folder of PGlite is served", async () => {
  const { db, close } = await open({ kind: "pglite", folder: testFolder() });
  const { rows } = await sql<object>`select 1 as one`.execute(db);
  await close();
  expect(rows).toEqual([{ one: 1 }]);
});
