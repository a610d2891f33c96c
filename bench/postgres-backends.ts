import { readFileSync } from "node:fs";
import { Client } from "pg";
import { databaseNameOf } from "./open-database.ts";

/** The processes of PostgreSQL that work for one database. */
export interface Backends {
  /** CPU time that they have used since their start, in microseconds. 0 for other databases. */
  cpu(): Promise<number>;
  close(): Promise<void>;
}

const NONE: Backends = { cpu: () => Promise.resolve(0), close: () => Promise.resolve() };

/**
 * Watches the processes that serve a database of PostgreSQL. The server must run on this machine.
 * @param place the URL of the database, or the path of a SQLite file
 */
export async function watchBackends(place: string): Promise<Backends> {
  if (databaseNameOf(place) !== "postgres") return NONE;
  const client = new Client({ connectionString: place });
  await client.connect();
  return {
    cpu: async () => {
      // This connection does not belong to the server under measurement.
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      return rows.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
    },
    close: () => client.end(),
  };
}

/** The version of a PostgreSQL server. */
export async function versionOfPostgres(place: string): Promise<string> {
  const client = new Client({ connectionString: place });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  await client.end();
  return rows[0]?.server_version ?? "unknown";
}

/** The first number of this file is CPU time in nanoseconds; the clock of `stat` has only hundredths of a second. */
function cpuOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${String(pid)}/schedstat`, "utf8").split(" ", 1)[0]) / 1000;
  } catch (error) {
    throw new Error("The CPU time of PostgreSQL is only known if it runs on this machine.", { cause: error });
  }
}
