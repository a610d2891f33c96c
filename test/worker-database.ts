import { writeFile } from "node:fs/promises";
import process from "node:process";
import { Client } from "pg";
import { oncePerRun } from "./once-per-run.ts";

const DUPLICATE_DATABASE = "42P04";

/**
 * Gives the test files of this worker a separate database on the server of PostgreSQL: introspection reads all schemas of a
 * database, and would find the tables that other workers create and drop.
 */
export async function takeWorkerDatabase(): Promise<void> {
  const { ODATAKIT_POSTGRES: url, ODATAKIT_POSTGRES_REPLICA: replica, VITEST_POOL_ID: worker } = process.env;
  if (url === undefined || worker === undefined) return;
  const name = `worker_${worker}`;
  // An earlier file of this worker has done it.
  if (new URL(url).pathname === `/${name}`) return;
  await oncePerRun(name, async (file) => {
    await createDatabase(url, name);
    await writeFile(file, "");
  });
  process.env["ODATAKIT_POSTGRES"] = within(url, name);
  if (replica !== undefined) process.env["ODATAKIT_POSTGRES_REPLICA"] = within(replica, name);
}

function within(url: string, database: string): string {
  const target = new URL(url);
  target.pathname = `/${database}`;
  return target.href;
}

/** Creates a database, unless an earlier run on the same server has. */
async function createDatabase(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === DUPLICATE_DATABASE)) throw error;
  } finally {
    await client.end();
  }
}
