import { randomBytes } from "node:crypto";
import { existsSync, openAsBlob } from "node:fs";
import { rename, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import process from "node:process";
import { Kysely, MysqlDialect, PGliteDialect, sql, type PGlite as PGliteInstance } from "kysely";
import { createPool } from "mysql2";
import { mariadbDialect } from "odatakit/mariadb";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { placing } from "../../databases/distributed/citus/placing-database.ts";
import { watching } from "../../databases/distributed/watched-database.ts";
import { COORDINATOR_SETTINGS, HOSTILE_SETTINGS } from "../../hostile-settings.ts";
import { oncePerRun, pathBesideRuns } from "../../once-per-run.ts";
import type { AnyDatabase, DatabaseEngine, DatabaseName, Logger, OpenDatabase, Settings } from "./open-database.ts";

export type { AnyDatabase, DatabaseEngine, DatabaseName, OpenDatabase } from "./open-database.ts";

/** PostgreSQL in this process, as far as the tests use it. */
interface PGlite extends PGliteInstance {
  exec(statements: string): Promise<unknown>;
  dumpDataDir(compression: "none"): Promise<Blob>;
}

// Read with `require`, because its types need those of browsers and of Emscripten.
const require = createRequire(import.meta.url);
const { PGlite } = require("@electric-sql/pglite") as {
  readonly PGlite: new (options?: { readonly loadDataDir: Blob }) => PGlite;
};
const { devDependencies } = require("../../../package.json") as {
  readonly devDependencies: { readonly "@electric-sql/pglite": string };
};

let embedded: Promise<PGlite> | undefined;

/** Starts PostgreSQL in this process. An empty cluster takes seconds to make, so later runs load it, too. */
async function startPGlite(): Promise<PGlite> {
  const path = await oncePerRun("pglite.tar", async (file) => {
    const kept = pathBesideRuns(`pglite-${devDependencies["@electric-sql/pglite"]}.tar`);
    if (!existsSync(kept)) {
      const first = new PGlite();
      await first.waitReady;
      const cluster = await first.dumpDataDir("none");
      await first.close();
      await writeFile(`${file}.new`, new Uint8Array(await cluster.arrayBuffer()));
      await rename(`${file}.new`, kept);
    }
    await symlink(kept, file);
  });
  return new PGlite({ loadDataDir: await openAsBlob(path) });
}

/** Opens PostgreSQL in this process, which all test files of a worker share. @param log receives its statements */
export async function openPGlite(log?: Logger, settings: Settings = HOSTILE_SETTINGS): Promise<OpenDatabase> {
  embedded ??= startPGlite();
  const pglite = await embedded;
  const sets = Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`);
  await pglite.exec(["drop schema if exists public cascade", "create schema public", ...sets].join("; "));
  // Closing the database does not close the server.
  const kept = { ...methodsOf(pglite), close: () => Promise.resolve() };
  const db: AnyDatabase = new Kysely({ dialect: new PGliteDialect({ pglite: kept }), ...logging(log) });
  return { db, close: () => db.destroy() };
}

/** Opens a second PostgreSQL in this process, for one test file alone. */
export async function openOtherPGlite(log: Logger): Promise<OpenDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: new PGliteDialect({ pglite: await startPGlite() }), log });
  return { db, close: () => db.destroy() };
}

function methodsOf(pglite: PGlite): Pick<PGlite, "query" | "transaction" | "closed" | "ready" | "waitReady"> {
  return {
    query: (...given) => pglite.query(...given),
    transaction: (run) => pglite.transaction(run),
    closed: false,
    ready: true,
    waitReady: pglite.waitReady,
  };
}

/** The same on a cluster of Citus: tables are distributed as tests create them. */
async function openCluster(url: string, log?: Logger): Promise<OpenDatabase> {
  return placing(await openPostgres(url, log, COORDINATOR_SETTINGS));
}

/** A schema on a server, with another time zone and collation, which must not matter. */
async function openPostgres(url: string, log?: Logger, given: Settings = HOSTILE_SETTINGS): Promise<OpenDatabase> {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  const settings = Object.entries({ ...given, search_path: `${schema},public` }).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`,
  );
  const pool = new Pool({ connectionString: url, max: 4, options: settings.join(" ") });
  // A server may restart while connections are idle: the next statement gets another one.
  pool.on("error", () => undefined);
  const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }), ...logging(log) });
  await sql`create schema ${sql.id(schema)}`.execute(db);
  return {
    db,
    close: async () => {
      await sql`drop schema ${sql.id(schema)} cascade`.execute(db);
      await db.destroy();
    },
  };
}

/** A database on a server. */
async function openMariadb(url: string, log?: Logger): Promise<OpenDatabase> {
  const name = `t_${randomBytes(6).toString("hex")}`;
  const admin: AnyDatabase = new Kysely({ dialect: new MysqlDialect({ pool: createPool(url) }) });
  await sql`create database ${sql.id(name)} character set utf8mb4 collate utf8mb4_general_ci`.execute(admin);
  const target = new URL(url);
  target.pathname = `/${name}`;
  const pool = createPool({ uri: target.href, connectionLimit: 4, timezone: "+05:45" });
  pool.on("connection", (connection) => connection.query("set time_zone = '+05:45'"));
  const db: AnyDatabase = new Kysely({ dialect: mariadbDialect({ pool }), ...logging(log) });
  return {
    db,
    close: async () => {
      await db.destroy();
      await sql`drop database ${sql.id(name)}`.execute(admin);
      await admin.destroy();
    },
  };
}

function logging(log: Logger | undefined): { readonly log?: Logger } {
  return log === undefined ? {} : { log };
}

function openSqlite(log?: Logger): Promise<OpenDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:"), ...logging(log) });
  return Promise.resolve({ db, close: () => db.destroy() });
}

const servers: readonly DatabaseEngine[] = [
  ...serverOf("ODATAKIT_POSTGRES", "postgres", "PostgreSQL", openPostgres),
  ...serverOf("ODATAKIT_MYSQL", "mariadb", "MariaDB", openMariadb),
];

function serverOf(
  variable: string,
  name: DatabaseName,
  title: string,
  open: (url: string, log?: Logger, settings?: Settings) => Promise<OpenDatabase>,
): readonly DatabaseEngine[] {
  const url = process.env[variable];
  return url === undefined ? [] : [{ name, title, open: (log, settings) => open(url, log, settings) }];
}

/** The databases in this process, for tests of one of them. Every run has them. */
export const EMBEDDED: readonly DatabaseEngine[] = [
  { name: "sqlite", title: "SQLite", open: openSqlite },
  { name: "postgres", title: "PGlite", open: openPGlite },
];

/**
 * The databases of this run: always SQLite and PGlite, and the servers whose URLs are in ODATAKIT_POSTGRES and
 * ODATAKIT_MYSQL. With ODATAKIT_SERVERS_ONLY only the servers, with ODATAKIT_WITHOUT_PGLITE no PGlite. In the project "distributed" only PostgreSQL, as if it were
 * spread over machines, or the cluster whose URL is in ODATAKIT_CITUS.
 */
export const ENGINES: readonly DatabaseEngine[] = isSpread() ? all().flatMap(spread) : all();

/** Whether the tests of this process run over a database that is spread over machines, really or as if. */
export function isSpread(): boolean {
  return process.env["ODATAKIT_SPREAD"] !== undefined;
}

/** Whether the tests of this process run over a cluster of Citus, where all sets are distributed. */
export function isCluster(): boolean {
  return process.env["ODATAKIT_CITUS"] !== undefined;
}

function all(): readonly DatabaseEngine[] {
  const cluster = serverOf("ODATAKIT_CITUS", "postgres", "Citus", openCluster);
  if (cluster.length > 0) return cluster;
  if (process.env["ODATAKIT_SERVERS_ONLY"] !== undefined) return servers;
  const isWithout = process.env["ODATAKIT_WITHOUT_PGLITE"] !== undefined;
  return [...EMBEDDED.filter(({ title }) => !isWithout || title !== "PGlite"), ...servers];
}

function spread(engine: DatabaseEngine): readonly DatabaseEngine[] {
  if (engine.name !== "postgres") return [];
  return [{ ...engine, title: `${engine.title}, spread over machines`, open: watching(engine) }];
}

/** Makes a table from columns with types by name; the first one is the key. */
export async function createTable(
  { db }: OpenDatabase,
  table: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const definitions = Object.entries(columns).map(([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`);
  await sql`create table ${sql.id(table)} (${sql.join(definitions)})`.execute(db);
}

/** Adds a row, with its cells in the order of the columns. */
export async function insertRow({ db }: OpenDatabase, table: string, cells: readonly unknown[]): Promise<void> {
  await sql`insert into ${sql.id(table)} values (${sql.join(cells.map((cell) => sql.val(cell)))})`.execute(db);
}
