import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCreate } from "../../../packages/create-odatakit/src/run-create.ts";
import { type ApplicationFolder, makeApplicationFolder } from "../declarations/code/application-folder.ts";

const NAME = "end_of_process";

/** Runs statements, each by itself, on one connection. */
type Run = (...statements: readonly string[]) => Promise<void>;

async function runOnPostgres(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function runOnMariadb(url: string, statements: readonly string[]): Promise<void> {
  const connection = await createConnection(url);
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mysql } = process.env;
const SERVERS = [
  {
    database: "postgres",
    url: postgres,
    run: runOnPostgres,
    drop: `drop database if exists ${NAME} with (force)`,
    // Ends all connections of others.
    kill: `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${NAME}' and pid <> pg_backend_pid()`,
  },
  { database: "mariadb", url: mysql, run: runOnMariadb, drop: `drop database if exists ${NAME}`, kill: null },
].flatMap(({ url, ...server }) => (url === undefined ? [] : [{ ...server, url }]));

describe.each(SERVERS)("over $database", ({ database, url, run, drop, kill }) => {
  let application: ApplicationFolder;
  const own = Object.assign(new URL(url), { pathname: `/${NAME}` }).href;
  const onServer: Run = (...statements) => run(url, statements);

  beforeEach(async () => {
    application = makeApplicationFolder();
    await onServer(drop, `create database ${NAME}`);
  });
  afterEach(async () => {
    application.remove();
    await onServer(drop);
  });

  /** Starts a program, reads, loses the connections, reads again, and ends it. @returns the text of its standard error */
  async function useAndEnd(program: string, path: string): Promise<string> {
    const child = spawn(process.execPath, ["--conditions=source", program], {
      cwd: application.path,
      env: { ...process.env, DATABASE_URL: own, PORT: "0" },
    });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, "close");
    const [line] = (await Promise.race([once(child.stdout.setEncoding("utf8"), "data"), ended])) as [string | number];
    const root = /^Listening on (\S+)\n$/u.exec(String(line))?.[1];
    if (root === undefined) expect.fail(`${line} ${errors}`);
    const read = async (): Promise<number> => (await fetch(root + path)).status;
    expect(await read()).toBe(200);
    if (kill !== null) {
      await onServer(kill);
      await expect.poll(read).toBe(200);
    }
    const start = performance.now();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    // Idle connections of a pool that is not ended last ten seconds, or for ever.
    expect(performance.now() - start).toBeLessThan(5000);
    return errors;
  }

  test("a new project ends at once, and survives lost connections", async () => {
    const silent = { write: () => undefined };
    const folder = join(application.path, "shop");
    expect(await runCreate([folder, "--db", database], { stdout: silent, stderr: silent })).toBe(0);
    const environment = { ...process.env, DATABASE_URL: own };
    const seed = spawnSync(process.execPath, [join(folder, "src/seed.ts")], { env: environment, encoding: "utf8" });
    expect([seed.status, seed.stderr]).toEqual([0, ""]);
    expect(await useAndEnd(join(folder, "src/main.ts"), "/Products")).toBe("");
  });

  test("a pulled service ends at once, and survives lost connections", async () => {
    await run(own, ["create table items (id int primary key, name varchar(20))", "insert into items values (1, 'a')"]);
    const main = join(import.meta.dirname, "../../../src/tools/cli/main.ts");
    const given = ["--conditions=source", main, "pull", own, "--out", "model"];
    const pulled = spawnSync(process.execPath, given, { cwd: application.path, encoding: "utf8" });
    expect([pulled.status, pulled.stderr]).toEqual([0, expect.any(String)]);
    expect(await useAndEnd(join(application.path, "model/service.ts"), "/Items")).toBe("");
  });
});

test("the servers are those of the run", () => {
  expect(SERVERS.length).toBe([postgres, mysql].filter((each) => each !== undefined).length);
});
