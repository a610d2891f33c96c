import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { terminatedService } from "./terminated-model.ts";

const url = process.env["ODATAKIT_POSTGRES"];
const TERMINATIONS = 12;
const SENDERS = 8;

/** A schema with the table, on the server. */
async function openSchema(connectionString: string): Promise<{ readonly db: AnyDatabase; readonly schema: string }> {
  const schema = `killed_${String(process.pid)}_${String(Date.now())}`;
  const db: AnyDatabase = new Kysely({
    dialect: postgresDialect({ pool: new Pool({ connectionString, max: 1 }) }),
  });
  await sql`create schema ${sql.id(schema)}`.execute(db);
  await sql`create table ${sql.id(schema, "items")} (
    id integer primary key generated always as identity, name text collate "C" not null)`.execute(db);
  await sql`insert into ${sql.id(schema, "items")} (name) values ('first')`.execute(db);
  return { db, schema };
}

describe.skipIf(url === undefined)("connections that PostgreSQL terminates", () => {
  let opened: ReturnType<typeof openSchema>;
  beforeAll(() => {
    opened = openSchema(url ?? "");
  });
  afterAll(async () => {
    const { db, schema } = await opened;
    await sql`drop schema ${sql.id(schema)} cascade`.execute(db);
    await db.destroy();
  });

  async function terminate(): Promise<void> {
    const { db, schema } = await opened;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${schema}`.execute(db);
  }

  test("do not end the process, under load or idle", async () => {
    const { schema } = await opened;
    const script = path.join(import.meta.dirname, "terminated-server.ts");
    const child = spawn(process.execPath, ["--conditions=source", script, url ?? "", schema], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    });
    const [line]: unknown[] = await once(child.stdout, "data");
    const root = `http://127.0.0.1:${String(Number(String(line)))}`;
    const statuses = new Map<number, number>();
    const under = { load: true };
    const send = async (number: number): Promise<void> => {
      while (under.load) {
        const init = { headers: { "Content-Type": "application/json" }, body: '{"Name":"more"}' };
        const [method, target] = [
          ["GET", "/Items?$top=5&$count=true"],
          ["POST", "/Items"],
          ["PATCH", "/Items(1)"],
          ["GET", "/Items(1)"],
        ][number % 4] as [string, string];
        const { status } = await fetch(root + target, method === "GET" ? {} : { method, ...init });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const senders = Array.from({ length: SENDERS }, (_none, number) => send(number));
    for (let count = 0; count < TERMINATIONS; count += 1) {
      await sleep(40);
      await terminate();
    }
    under.load = false;
    await Promise.all(senders);
    // Idle connections, too.
    await terminate();
    await sleep(100);
    const later = await fetch(`${root}/Items(1)`);
    expect([child.exitCode, later.status, await later.json()]).toEqual([
      null,
      200,
      { "@odata.context": `${root}/$metadata#Items/$entity`, "@odata.id": `${root}/Items(1)`, Id: 1, Name: "more" },
    ]);
    expect([...statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(statuses.get(503)).toBeGreaterThan(0);
    child.kill();
    await once(child, "exit");
  });

  test("are reported to an application with an error listener", async () => {
    const { schema } = await opened;
    const heard: unknown[] = [];
    const pool = new Pool({
      connectionString: url,
      max: 1,
      options: `-c search_path=${schema}`,
      application_name: schema,
    });
    pool.on("error", (error) => heard.push(error.message));
    const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });
    const service = terminatedService(db);
    const status = async (): Promise<number> => (await service.fetch(new Request("http://x/Items"))).status;
    const before = await status();
    await terminate();
    await expect.poll(() => heard).toEqual(["terminating connection due to administrator command"]);
    expect([before, await status()]).toEqual([200, 200]);
    await db.destroy();
  });
});
