import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "./ask.ts";
import { writeDatabase } from "./database.ts";
import { deleteDatabase, makeDatabase } from "./open-database.ts";
import { copyToPostgres } from "./postgres-database.ts";
import { PREFIX, type Scenario } from "./scenarios.ts";
import { withServer, type ServerProcess } from "./server-process.ts";

/** The servers, each with its own database, so that they generate the same keys and versions. */
export interface Servers {
  readonly ours: ServerProcess;
  /** The server written by hand that reads rows and writes their JSON. */
  readonly limit: ServerProcess;
  /** The one whose database writes the JSON; null over PostgreSQL. */
  readonly json: ServerProcess | null;
}

/**
 * Returns the limit servers of a scenario. Where the database writes no JSON, as in `$metadata` and arrays, and for writes, one
 * server represents both.
 */
export function limitsOf(
  { id, writes, isOfArray }: Scenario,
  { limit, json }: Servers,
): readonly [ServerProcess, ...ServerProcess[]] {
  const isSame = writes !== undefined || isOfArray === true || id === "S6";
  return json === null || isSame ? [limit] : [limit, json];
}

/** The places of two databases with the same rows. */
interface Places {
  readonly ours: string;
  readonly limit: string;
}

/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;
const OURS = "odatakit_bench";
const LIMIT = "odatakit_bench_limit";
/** The headers of `$metadata` that a fixed response repeats; Node.js adds the others. */
const REPEATED: ReadonlySet<string> = new Set(["odata-version", "content-type", "vary", "etag", "content-length"]);

/** Makes a folder that is deleted however the process ends. */
export function makeFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), "odatakit-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  // Without a handler, Ctrl-C ends the process without the event above.
  process.once("SIGINT", () => process.exit(INTERRUPTED));
  return directory;
}

/**
 * Runs both servers over the same rows.
 * @param file the SQLite file with the rows; our server uses it
 * @param postgres the URL of a server, if the databases are of PostgreSQL
 */
export async function withServers(
  file: string,
  postgres: string | null,
  use: (servers: Servers) => Promise<void>,
): Promise<void> {
  const run = (places: Places, limitServer: string): Promise<void> =>
    withServer("odatakit", "odatakit-server.ts", [places.ours], async (ours) => {
      const metadata = await metadataOf(ours);
      await withServer("rows", limitServer, [places.limit, metadata], async (limit) => {
        if (postgres !== null) return use({ ours, limit, json: null });
        // The writes of both limit servers are the same, so this one only reads.
        return withServer("JSON", "limit-json-server.ts", [places.limit, metadata], (json) =>
          use({ ours, limit, json }),
        );
      });
    });
  if (postgres === null) {
    const limit = `${file}.limit`;
    copyFileSync(file, limit);
    await run({ ours: file, limit }, "limit-server.ts");
    return;
  }
  try {
    const ours = await makeDatabase(postgres, OURS);
    await copyToPostgres(file, ours);
    const limit = await makeDatabase(postgres, LIMIT, OURS);
    await run({ ours, limit }, "limit-postgres-server.ts");
  } finally {
    await deleteDatabase(postgres, LIMIT);
    await deleteDatabase(postgres, OURS);
  }
}

/** Writes the SQLite file with the rows of all scenarios. */
export function writeBenchDatabase(directory: string): string {
  const file = join(directory, "shop.db");
  const started = performance.now();
  writeDatabase(file);
  console.error(`Wrote the database in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  return file;
}

/** Returns the response to `$metadata` as the argument of a limit server. */
export async function metadataOf(ours: ServerProcess): Promise<string> {
  const { headers, body } = await ask(ours.port, `${PREFIX}/$metadata`);
  const repeated = [...headers].filter(([name]) => REPEATED.has(name));
  return JSON.stringify({ headers: Object.fromEntries(repeated), body: body.toString() });
}
