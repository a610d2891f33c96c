import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { messageOf } from "../../base/message-of.ts";
import type { DatabaseSettings } from "./database-options.ts";
import { importPackage } from "./missing-package.ts";
import { unavailable, type Problem } from "./problem.ts";
import { scrub } from "./redact.ts";
import { describeTarget, type Target } from "./target.ts";

/** A database that has returned rows. */
export interface OpenedDatabase {
  readonly db: Kysely<object>;
  readonly kind: Target["kind"];
  /** The path of a SQLite file; null for other databases. */
  readonly file: string | null;
  /** The identity of the file when it was opened; null for other databases. */
  readonly fileId: string | null;
  /** Calls a function at each `notify odatakit` of PostgreSQL, until the signal; absent for other databases. */
  readonly listen?: (onNotify: () => void, signal: AbortSignal) => void;
  /** The target without passwords. */
  readonly shown: string;
  readonly close: () => Promise<void>;
}

/** Opens a database, and tests its connection. @throws MissingPackage if its driver is not installed */
export async function openDatabase(target: Target, settings: DatabaseSettings): Promise<OpenedDatabase | Problem> {
  if (target.kind === "sqlite") {
    const problem = checkFile(resolve(settings.folder, target.file), target.file);
    if (problem !== undefined) return problem;
  }
  const shown = describeTarget(target);
  const db = await connect(target, settings);
  try {
    const { sql } = await import("kysely");
    await sql`select 1`.execute(db);
    const file = target.kind === "sqlite" ? resolve(settings.folder, target.file) : null;
    const fileId = file === null ? null : fileIdOf(file);
    const close = (): Promise<void> => db.destroy();
    const opened = { db, kind: target.kind, file, fileId, shown, close };
    if (target.kind !== "postgres") return opened;
    return { ...opened, listen: (onNotify, signal) => void listenPostgres(target.url, onNotify, signal) };
  } catch (error) {
    await db.destroy().catch(() => undefined);
    return describeFailure(error, target);
  }
}

/** Returns the identity of a file: another file of the same name has another one. @throws the error of the file system */
export function fileIdOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${String(dev)}:${String(ino)}`;
}

async function connect(target: Target, settings: DatabaseSettings): Promise<Kysely<object>> {
  switch (target.kind) {
    case "sqlite":
      return openSqlite(resolve(settings.folder, target.file), settings);
    case "pglite":
      return openPglite(resolve(settings.folder, target.folder));
    case "postgres":
      return openPostgres(target.url, settings);
    case "mariadb":
      return openMariadb(target.url, settings);
  }
}

async function openSqlite(file: string, { mayWrite }: DatabaseSettings): Promise<Kysely<object>> {
  const { Kysely } = await import("kysely");
  const { sqliteDialect } = await import("odatakit/sqlite");
  return new Kysely<object>({ dialect: sqliteDialect(file, { readonly: !mayWrite, journalMode: "keep" }) });
}

/** Every file of SQLite begins with this text. An empty file is an empty database. */
const HEADER = "SQLite format 3\0";

/** Returns why a file cannot be opened as a database of SQLite; undefined if it can. */
export function checkFile(path: string, given: string): Problem | undefined {
  const shown = describeTarget({ kind: "sqlite", file: given });
  try {
    if (statSync(path).isDirectory()) return unavailable(`"${shown}" is a folder.`, "Give a SQLite file.");
    const file = openSync(path, "r");
    try {
      const header = new Uint8Array(HEADER.length);
      const length = readSync(file, header, 0, header.length, 0);
      if (length === 0 || new TextDecoder("latin1").decode(header) === HEADER) return undefined;
      return unavailable(`"${shown}" is not a SQLite database.`, "Give a SQLite file, or the URL of a server.");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === "ENOENT") {
      return unavailable(`There is no file "${shown}".`, "Check the path. A missing file is not created.");
    }
    if (code === "EACCES") return unavailable(`The file "${shown}" cannot be read.`, "Check its permissions.");
    return unavailable(`The file "${shown}" cannot be opened (${code ?? "unknown"}).`, "Check the path.");
  }
}

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 5000;
/** Milliseconds that a transaction may stay open without a statement. */
const IDLE_TIMEOUT = 60_000;

type ServerSettings = Pick<DatabaseSettings, "mayWrite" | "pool" | "timeout">;

/** Opens PostgreSQL. Its sessions are in UTC, and read-only unless the command writes. */
async function openPostgres(url: string, settings: ServerSettings): Promise<Kysely<object>> {
  const { Kysely } = await import("kysely");
  const { postgresDialect } = await import("odatakit/postgres");
  const { Pool } = await importPackage(() => import("pg"), ["pg"]);
  const pool = new Pool({
    connectionString: url,
    max: settings.pool,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: "odatakit",
    // A page and its count take one round trip.
    pipeline: true,
  });
  const statements = [
    "set time zone 'UTC'",
    // Texts of ranges and intervals are in the same form for every database.
    "set datestyle = 'ISO'",
    "set intervalstyle = 'postgres'",
    // With less, the database shortens floating-point numbers.
    "set extra_float_digits = 1",
    `set statement_timeout = ${String(settings.timeout)}`,
    `set idle_in_transaction_session_timeout = ${String(IDLE_TIMEOUT)}`,
    ...(settings.mayWrite ? [] : ["set default_transaction_read_only = on"]),
    // Tables without statistics look large, so an expansion of nothing would be compiled for seconds.
    "select set_config(name, 'off', false) from pg_settings where name = 'jit'",
  ];
  // Nothing may run in a session without its settings.
  pool.on("connect", (client) => void client.query(statements.join(";")).catch(() => client.end()));
  return new Kysely<object>({ dialect: postgresDialect({ pool }) });
}

/** Opens MariaDB. Its sessions are in UTC, and read-only unless the command writes. */
async function openMariadb(url: string, settings: ServerSettings): Promise<Kysely<object>> {
  const { Kysely } = await import("kysely");
  const { mariadbDialect } = await import("odatakit/mariadb");
  const { createPool } = await importPackage(() => import("mysql2"), ["mysql2"]);
  const pool = createPool({
    uri: url.replace(/^mariadb:/i, "mysql:"),
    connectionLimit: settings.pool,
    connectTimeout: CONNECT_TIMEOUT,
    charset: "utf8mb4",
  });
  const statements = [
    "set session time_zone = '+00:00'",
    `set session max_statement_time = ${String(settings.timeout / 1000)}`,
    ...(settings.mayWrite ? [] : ["set session transaction read only"]),
  ];
  pool.on("connection", (connection) => {
    for (const statement of statements) {
      // Nothing may run in a session without its settings. MySQL knows no max_statement_time, and is refused later.
      connection.query(statement, (error) => {
        if (error !== null && !statement.includes("max_statement_time")) connection.destroy();
      });
    }
  });
  return new Kysely<object>({ dialect: mariadbDialect({ pool }) });
}

/** Opens a folder of PGlite. */
async function openPglite(folder: string): Promise<Kysely<object>> {
  const { Kysely, PGliteDialect } = await import("kysely");
  // The types of the package need types of browsers.
  const name: string = "@electric-sql/pglite";
  const { PGlite } = await importPackage(
    () => import(name) as Promise<{ readonly PGlite: new (folder: string) => never }>,
    ["@electric-sql/pglite"],
  );
  return new Kysely<object>({ dialect: new PGliteDialect({ pglite: new PGlite(folder) }) });
}

/** The channel of `notify`. */
const CHANNEL = "odatakit";
/** Milliseconds between two attempts to connect. */
const RETRY = 5000;

/**
 * Calls a function at each `notify odatakit`, on a separate connection, which connects again after it is lost. If the database
 * does not support `listen`, the schema is only checked in intervals.
 */
async function listenPostgres(url: string, onNotify: () => void, signal: AbortSignal): Promise<void> {
  const { Client } = await import("pg");
  let isFirst = true;
  while (!signal.aborted) {
    const client = new Client({ connectionString: url, application_name: "odatakit", keepAlive: true });
    const lost = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.once("error", () => resolve());
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    client.on("notification", onNotify);
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // A notification may have come meanwhile.
      if (!isFirst) onNotify();
      isFirst = false;
      await lost;
    } catch {
      // The next attempt follows.
    }
    await client.end().catch(() => undefined);
    await sleep(RETRY, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** The problem for each code of a driver, and the fix. */
const FAILURES: ReadonlyArray<readonly [code: RegExp, what: string, fix: string]> = [
  [/^ECONNREFUSED$/, "refuses the connection", "Start the server, or correct the host and the port."],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "has an unknown host", "Correct the host."],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "does not answer", "Check the host, the port and the firewall."],
  [
    /^(?:28P01|28000|ER_ACCESS_DENIED_ERROR|ER_ACCESS_DENIED_NO_PASSWORD_ERROR|1045)$/,
    "denies access",
    "Correct the user and the password.",
  ],
  [/^(?:3D000|ER_BAD_DB_ERROR|1049)$/, "has no database of this name", "Correct the name at the end of the URL."],
  [/^(?:ER_DBACCESS_DENIED_ERROR|1044|42501)$/, "denies access to the database", "Grant the user access to it."],
  [/^(?:53300|ER_CON_COUNT_ERROR|1040)$/, "has too many connections", "Try again later, or lower `--pool`."],
];

/** Describes why a database cannot be used, without its password. */
export function describeFailure(error: unknown, target: Target): Problem {
  const shown = describeTarget(target);
  const code = codeOf(error);
  const known = FAILURES.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return unavailable(`${shown} ${known[1]}.`, known[2]);
  const url = "url" in target ? target.url : "";
  const message = scrub(messageOf(error), url).replace(/\.$/, "");
  if (/timeout|timed out/i.test(message)) {
    return unavailable(`${shown} does not answer.`, "Check the host, the port and the firewall.");
  }
  const suffix = code === "" ? "" : ` (${code})`;
  const fix = /Node\.js [\d.]+ or later/.test(message)
    ? "Use a later version of Node.js."
    : "Correct the target or the server.";
  return unavailable(`${shown} cannot be used: ${message}${suffix}.`, fix);
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Several addresses of one host fail together.
  const [first] = "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  if (first !== undefined) return codeOf(first);
  return "cause" in error ? codeOf(error.cause) : "";
}
