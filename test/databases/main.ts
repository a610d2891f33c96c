import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import { HOSTILE_SETTINGS } from "../hostile-settings.ts";
import { findProgram, installPackages } from "../house/debian.ts";
import type { Run } from "./distributed/citus/place-table.ts";
import { prepareCluster } from "./distributed/citus/prepare-cluster.ts";

/**
 * Runs tests over servers of PostgreSQL and MariaDB, with all generated cases. The servers come from the packages of
 * Debian, which this program installs if they are absent and it may. They use separate ports and folders, and stop at
 * the end. The last line is `N passed, N failed`.
 *
 * Without arguments, the tests of the SQL layer run over the servers alone; paths choose other tests. With `--everything`
 * all tests run over all databases, and their coverage must reach its floors. With `--rest` a sample of what `npm test` leaves
 * out runs: the long files, the tests over servers, and distributed sets.
 *
 * With DISTRIBUTED_URL, the URL of a database on the coordinator of Citus, the tests of distributed databases run there.
 */

const PACKAGES = ["postgresql", "mariadb-server"];
const isRoot = process.getuid?.() === 0;
/** The servers refuse to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const owner = isRoot ? NOBODY : {};
/** Tries of a tenth of a second each. */
const MOST_TRIES = 600;

interface Programs {
  /** The folder of initdb and postgres. */
  readonly postgres: string;
  readonly installMariadb: string;
  readonly mariadb: string;
}

function findPrograms(): Programs | null {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const folders = versions.map((version) => `/usr/lib/postgresql/${version}/bin`);
  const postgres = folders.find((folder) => existsSync(`${folder}/initdb`));
  const installMariadb = findProgram("mariadb-install-db");
  const mariadb = findProgram("mariadbd");
  if (postgres === undefined || installMariadb === undefined || mariadb === undefined) return null;
  return { postgres, installMariadb, mariadb };
}

/** Finds or installs the programs. @returns the reason if they may not be installed */
function providePrograms(): Programs | string {
  const found = findPrograms();
  if (found !== null) return found;
  const reason = installPackages("PostgreSQL and MariaDB", PACKAGES);
  if (reason !== null) return reason;
  return findPrograms() ?? `The packages ${PACKAGES.join(" and ")} do not hold the servers.`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("There is no free port."));
      });
    });
  });
}

/** Runs a program until it ends. */
function run(program: string, given: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, given, { cwd, encoding: "utf8", ...owner });
  if (status !== 0) throw new Error(`${program} failed.\n${stdout}${stderr}`);
}

/** A server that runs until it is stopped. */
class Server {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";

  constructor(program: string, given: readonly string[], cwd: string) {
    this.#child = spawn(program, given, { cwd, stdio: ["ignore", "pipe", "pipe"], ...owner });
    this.#ended = new Promise((resolve) => {
      this.#child.once("exit", resolve);
      this.#child.once("error", resolve);
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        this.#output = (this.#output + data.toString()).slice(-10_000);
      });
    }
  }

  /** Waits until an attempt succeeds. @throws Error with the output of the server, when it ends or takes a minute */
  async answers(attempt: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (this.#child.exitCode !== null) break;
      try {
        await attempt();
        return;
      } catch {
        await sleep(100);
      }
    }
    throw new Error(`The server does not answer.\n${this.#output}`);
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGINT");
    await Promise.race([this.#ended, sleep(5000)]);
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

/** Returns the settings of a server whose data is thrown away after the tests. */
function postgresSettings(folder: string, port: number): readonly string[] {
  const settings = [
    `port=${String(port)}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "full_page_writes=off",
    // Tables without statistics look large: compiling their statements took seconds.
    "jit=off",
  ];
  return settings.flatMap((each) => ["-c", each]);
}

/** Starts PostgreSQL with an unusual collation and language, which must not matter. */
async function startPostgres(folder: string, programs: string, servers: Server[]): Promise<string> {
  const data = path.join(folder, "postgres");
  const port = await freePort();
  const locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en"];
  run(`${programs}/initdb`, ["-D", data, "-U", "odatakit", "--auth=trust", "--no-sync", ...locale], folder);
  const server = new Server(`${programs}/postgres`, ["-D", data, ...postgresSettings(folder, port)], folder);
  servers.push(server);
  const url = `postgresql://odatakit@127.0.0.1:${String(port)}/postgres`;
  await server.answers(() => connectOnce(url));
  return url;
}

/** Starts a streaming replica of a server of PostgreSQL, which follows it within milliseconds. */
async function startReplica(folder: string, programs: string, primary: string, servers: Server[]): Promise<string> {
  const data = path.join(folder, "replica");
  const port = await freePort();
  const source = ["-h", "127.0.0.1", "-p", new URL(primary).port, "-U", "odatakit"];
  run(`${programs}/pg_basebackup`, [...source, "-D", data, "-R", "-c", "fast", "--no-sync"], folder);
  const server = new Server(`${programs}/postgres`, ["-D", data, ...postgresSettings(folder, port)], folder);
  servers.unshift(server);
  const url = `postgresql://odatakit@127.0.0.1:${String(port)}/postgres`;
  await server.answers(() => connectOnce(url));
  return url;
}

async function connectOnce(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.end();
}

/** Settings of MariaDB for data that is thrown away after the tests: each table that a test makes or drops waits for the disk. */
const WITHOUT_FLUSHES = [
  "--debug-no-sync",
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-flush-method=nosync",
  "--innodb-doublewrite=0",
  "--sync-frm=0",
];

async function startMariadb(folder: string, { installMariadb, mariadb }: Programs, servers: Server[]): Promise<string> {
  const data = path.join(folder, "mariadb");
  mkdirSync(data);
  if (isRoot) chownSync(data, NOBODY.uid, NOBODY.gid);
  const port = await freePort();
  // Servers of other runs have temporary tables of the same names, and remove them.
  const temporary = path.join(folder, "mariadb-temporary");
  mkdirSync(temporary);
  if (isRoot) chownSync(temporary, NOBODY.uid, NOBODY.gid);
  const common = ["--no-defaults", `--datadir=${data}`, `--tmpdir=${temporary}`];
  run(installMariadb, [...common, "--auth-root-authentication-method=normal", "--skip-test-db"], folder);
  const settings = [
    `--port=${String(port)}`,
    "--bind-address=127.0.0.1",
    `--socket=${path.join(folder, "mariadb.sock")}`,
    `--pid-file=${path.join(folder, "mariadb.pid")}`,
    ...WITHOUT_FLUSHES,
  ];
  const server = new Server(mariadb, [...common, ...settings], folder);
  servers.push(server);
  const url = `mysql://root@127.0.0.1:${String(port)}`;
  await server.answers(async () => {
    const connection = await createConnection(url);
    await connection.end();
  });
  return url;
}

/** The tests that run over databases. */
const OVER_DATABASES = ["test/engine/executors", "test/engine/rows", "test/databases/sql", "test/service/sets"];

/** The projects whose tests run over servers. */
const BESIDE_SERVERS = ["browser", "packaging", "slow", "measured", "clients", "licensed", "hosts"].map(
  (name) => `--project=!${name}`,
);

type Variables = Readonly<Record<string, string>>;

const ALL_CASES = { ODATAKIT_CASES: "all" };
const REST = { ODATAKIT_FILES: "rest" };

/** Runs tests, usually with all their cases. @returns the exit code */
async function runTests(given: readonly string[], servers: Variables, chosen: Variables = ALL_CASES): Promise<number> {
  const env = { ...process.env, ...chosen, ...servers };
  const vitest = [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...(servers["ODATAKIT_CITUS"] === undefined ? BESIDE_SERVERS : ["--project=distributed"]),
    ...given,
  ];
  const child = spawn(process.execPath, vitest, { env, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** A file system in memory: tables that tests make and drop wait for no disk. */
const IN_MEMORY = "/dev/shm";
/** What both servers and the replica use at most, several times. */
const ENOUGH_BYTES = 8 * 2 ** 30;

/** Returns the folder for the servers: in memory, if there is enough. */
function placeOfServers(): string {
  if (!existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem()) < ENOUGH_BYTES ? tmpdir() : IN_MEMORY;
}

/** Runs tests with both servers running. */
async function runBesideServers(programs: Programs, run: (urls: Variables) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(path.join(placeOfServers(), "odatakit-databases-"));
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const servers: Server[] = [];
  try {
    const postgres = await startPostgres(folder, programs.postgres, servers);
    return await run({
      ODATAKIT_POSTGRES: postgres,
      ODATAKIT_POSTGRES_REPLICA: await startReplica(folder, programs.postgres, postgres, servers),
      ODATAKIT_MYSQL: await startMariadb(folder, programs, servers),
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the tests of distributed databases over a cluster of Citus. Each statement of the preparation has a connection of its
 * own, so that the coordinator may restart between them.
 * @returns the exit code
 */
async function runOverCluster(url: string, given: readonly string[]): Promise<number> {
  const run: Run = async (text, parameters) => {
    const client = new Client({ connectionString: url });
    // The statement fails with the same error.
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(text, parameters?.slice())).rows;
    } finally {
      await client.end();
    }
  };
  const { version, reset } = await prepareCluster(run, HOSTILE_SETTINGS);
  process.stdout.write(`${version}\n`);
  try {
    return await runTests(given, { ODATAKIT_CITUS: url });
  } finally {
    await reset();
  }
}

const [first, ...others] = process.argv.slice(2);
const isEverything = first === "--everything";
const isRest = first === "--rest";
const cluster = process.env["DISTRIBUTED_URL"];
const programs = cluster === undefined ? providePrograms() : "";
if (cluster !== undefined) {
  process.exitCode = await runOverCluster(cluster, first === undefined ? [] : [first, ...others]);
} else if (typeof programs !== "string") {
  process.exitCode = await runBesideServers(programs, (urls) => {
    if (isEverything) return runTests(["--coverage", ...others], urls);
    if (isRest) return runTests(["--project=!types", ...others], urls, REST);
    const given = first === undefined ? OVER_DATABASES : [first, ...others];
    return runTests(given, { ...urls, ODATAKIT_SERVERS_ONLY: "1" });
  });
} else if (isRest) {
  process.stdout.write(`skipped: the tests over servers: ${programs}\n`);
  process.exitCode = await runTests(["--project=tests", "--project=alone", ...others], {}, REST);
} else if (isEverything) {
  process.stdout.write(`SQLite and PGlite alone: ${programs}\n`);
  process.exitCode = await runTests(others, {});
} else {
  process.stdout.write(`skipped: ${programs}\n0 passed, 0 failed\n`);
}
