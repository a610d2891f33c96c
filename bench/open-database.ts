import { Kysely, sql } from "kysely";
import { createConnection, createPool } from "mysql2";
import { mariadbDialect } from "odatakit/mariadb";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Client, Pool } from "pg";

/** The databases that odatakit supports. */
export type DatabaseName = "sqlite" | "postgres" | "mariadb";

/** The name of one type in each database. */
export type TypeNames = readonly [sqlite: string, postgres: string, mariadb: string];

/** An idle connection is kept, so that counts of open files do not depend on the time. */
const CONNECTIONS = 8;

const POSITIONS: Readonly<Record<DatabaseName, 0 | 1 | 2>> = { sqlite: 0, postgres: 1, mariadb: 2 };

/** Returns the type for a database. A text is the same in all of them. */
export function chooseType(type: string | TypeNames, database: DatabaseName): string {
  return typeof type === "string" ? type : type[POSITIONS[database]];
}

/** Returns the kind of a database by its place: a URL, or the path of a SQLite file. */
export function databaseNameOf(place: string): DatabaseName {
  if (/^postgres(?:ql)?:/u.test(place)) return "postgres";
  return /^(?:mysql|mariadb):/u.test(place) ? "mariadb" : "sqlite";
}

/** Opens a database as an application does. */
export function openDatabase(place: string): Kysely<unknown> {
  const database = databaseNameOf(place);
  if (database === "sqlite") return new Kysely({ dialect: sqliteDialect(place) });
  if (database === "postgres") {
    const pool = new Pool({ connectionString: place, max: CONNECTIONS, idleTimeoutMillis: 0 });
    return new Kysely({ dialect: postgresDialect({ pool, controlClient: Client }) });
  }
  const pool = createPool({ uri: place, connectionLimit: CONNECTIONS, timezone: "Z" });
  const controlConnection = (): ReturnType<typeof createConnection> => createConnection(place);
  return new Kysely({ dialect: mariadbDialect({ pool, controlConnection }) });
}

/**
 * Makes an empty database on a server, instead of one with the same name.
 * @param server the URL of any database of the server
 * @param template another database to copy; no connection may use it
 * @returns its URL
 */
export async function makeDatabase(server: string, name: string, template?: string): Promise<string> {
  await onServer(server, async (admin) => {
    await dropDatabase(admin, server, name);
    const copied = template === undefined ? sql.raw("") : sql`template ${sql.id(template)}`;
    const characters = databaseNameOf(server) === "mariadb" ? sql.raw("character set utf8mb4") : sql.raw("");
    await sql`create database ${sql.id(name)} ${copied} ${characters}`.execute(admin);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Deletes a database of a server. */
export async function deleteDatabase(server: string, name: string): Promise<void> {
  await onServer(server, (admin) => dropDatabase(admin, server, name));
}

async function dropDatabase(admin: Kysely<unknown>, server: string, name: string): Promise<void> {
  const force = databaseNameOf(server) === "postgres" ? sql.raw("with (force)") : sql.raw("");
  await sql`drop database if exists ${sql.id(name)} ${force}`.execute(admin);
}

async function onServer(server: string, use: (admin: Kysely<unknown>) => Promise<void>): Promise<void> {
  const admin = openDatabase(server);
  try {
    await use(admin);
  } finally {
    await admin.destroy();
  }
}
