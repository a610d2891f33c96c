import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/tools/cli/open-database.ts";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { openHostile as openHostileMariadb } from "../../databases/introspect/mysql-hostile.ts";
import { runScript } from "../../databases/introspect/postgres-hostile.ts";
import { ROOT } from "../../house/source-files.ts";
import { runProgram, testFolder } from "./run-program.ts";

const SCRIPTS = join(ROOT, "test/fixtures/databases");

function scriptOf(name: string): string {
  return readFileSync(join(SCRIPTS, `hostile.${name}.sql`), "utf8");
}

/** Compares the output of `inspect` with a file, which `vitest -u` writes. Versions and estimates differ between servers. */
async function expectInspected(target: string, name: string): Promise<void> {
  const { code, out, err } = await runProgram(["inspect", target, "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const steady = out
    .replace(/"product": "(\w+)[^"]*"/, '"product": "$1"')
    .replaceAll(/\bt_[0-9a-f]{12}\b/g, "shop")
    .replaceAll(/"estimatedRows": \d+/g, '"estimatedRows": 0');
  await expect(steady).toMatchFileSnapshot(join(SCRIPTS, `hostile.${name}.snap`));
}

test("inspect describes a hostile database of SQLite", async () => {
  const file = join(testFolder(), "hostile.db");
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(scriptOf("sqlite"));
  database.close();
  await expectInspected(file, "sqlite");
});

test("inspect describes a hostile database of PostgreSQL", async () => {
  const folder = testFolder();
  const settings = { timeout: 60_000, pool: 1, mayWrite: true, folder: "." };
  const opened = await openDatabase({ kind: "pglite", folder }, settings);
  if (isProblem(opened)) expect.fail(opened.message);
  await runScript(opened.db, scriptOf("postgres"));
  await opened.close();
  await expectInspected(`pglite:${folder}`, "postgres");
});

const { ODATAKIT_MYSQL: server } = process.env;

test.skipIf(server === undefined)("inspect describes a hostile database of MariaDB", async () => {
  const { db, close } = await openHostileMariadb();
  try {
    const { rows } = await sql<{ name: string }>`select database() as name`.execute(db);
    const url = new URL(server ?? "");
    url.pathname = `/${rows[0]?.name ?? ""}`;
    await expectInspected(url.href, "mysql");
  } finally {
    await close();
  }
});
