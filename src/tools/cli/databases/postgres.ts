import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { DescribedWarning } from "odatakit/introspect";
import type { DatabaseSettings } from "../database-options.ts";
import { importPackage } from "../missing-package.ts";
import { redact } from "../redact.ts";
import { type CommandDatabase, SERVER_PLAN, type TargetOf, WITHOUT_FILE } from "./command-database.ts";
import { PG_SCHEMA } from "./postgres-schema.ts";
import { CONNECT_TIMEOUT, IDLE_TIMEOUT } from "./server-limits.ts";

/** A server of PostgreSQL. */
export const POSTGRES: CommandDatabase<TargetOf<"postgres">> = Object.freeze<CommandDatabase<TargetOf<"postgres">>>({
  ...WITHOUT_FILE,
  ...SERVER_PLAN,
  shown: ({ url }) => redact(url),
  open: ({ url }, settings) => openPostgres(url, settings),
  listen: ({ url }, onNotify, signal) => listenPostgres(url, onNotify, signal),
  code: () => ({ kind: "postgres" }),
  packages: ["pg"],
  schema: PG_SCHEMA,
  provesKeys: true,
  userWarnings,
});

/** Opens PostgreSQL. Its sessions are in UTC, and read-only unless the command writes. */
async function openPostgres(url: string, settings: DatabaseSettings): Promise<Kysely<object>> {
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

interface User {
  readonly name: string;
  readonly is_super: boolean;
  readonly bypasses: boolean;
  readonly owns: boolean;
}

const USER = `
  select u.rolname::text as name, u.rolsuper as is_super, u.rolbypassrls as bypasses, exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p')
      and c.relowner = u.oid and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema') as owns
  from pg_roles u where u.rolname = current_user`;

/** Returns a warning about a user whom row-level security does not bind. */
async function userWarnings(db: Kysely<object>): Promise<readonly DescribedWarning[]> {
  const { sql } = await import("kysely");
  const [user] = (await sql.raw<User>(USER).execute(db)).rows;
  if (user === undefined) return [];
  const rights: ReadonlyArray<readonly [boolean, string]> = [
    [user.is_super, "is a superuser"],
    [user.bypasses, "has BYPASSRLS"],
    [user.owns, "owns tables"],
  ];
  const is = rights.find(([has]) => has)?.[1] ?? "";
  if (is === "") return [];
  const message = `${is}, so row-level security does not protect rows: connect as a user with the right select only`;
  return [{ code: "user", place: `The user ${user.name}`, message, flag: null }];
}
