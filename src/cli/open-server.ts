import type { Kysely } from "kysely";
import type { DatabaseSettings } from "./database-settings.ts";
import { importPackage } from "./missing-package.ts";

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 5000;
/** Milliseconds that a transaction may stay open without a statement. */
const IDLE_TIMEOUT = 60_000;

type ServerSettings = Pick<DatabaseSettings, "mayWrite" | "pool" | "timeout">;

/** Opens PostgreSQL. Its sessions are in UTC, and read-only unless the command writes. */
export async function openPostgres(url: string, settings: ServerSettings): Promise<Kysely<object>> {
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
export async function openMariadb(url: string, settings: ServerSettings): Promise<Kysely<object>> {
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
export async function openPglite(folder: string): Promise<Kysely<object>> {
  const { Kysely, PGliteDialect } = await import("kysely");
  // Its types need those of browsers.
  const name: string = "@electric-sql/pglite";
  const { PGlite } = await importPackage(
    () => import(name) as Promise<{ readonly PGlite: new (folder: string) => never }>,
    ["@electric-sql/pglite"],
  );
  return new Kysely<object>({ dialect: new PGliteDialect({ pglite: new PGlite(folder) }) });
}
