import type { Kysely } from "kysely";
import type { DatabaseSettings } from "../database-options.ts";
import { importPackage } from "../missing-package.ts";
import { redact } from "../redact.ts";
import { type CommandDatabase, NO_WARNINGS, SERVER_PLAN, type TargetOf, WITHOUT_FILE } from "./command-database.ts";
import { CONNECT_TIMEOUT } from "./server-limits.ts";

/** A server of MariaDB. */
export const MARIADB: CommandDatabase<TargetOf<"mariadb">> = Object.freeze<CommandDatabase<TargetOf<"mariadb">>>({
  ...WITHOUT_FILE,
  ...SERVER_PLAN,
  shown: ({ url }) => redact(url),
  open: ({ url }, settings) => openMariadb(url, settings),
  code: () => ({ kind: "mariadb" }),
  packages: ["mysql2"],
  schema: `select md5(group_concat(concat_ws(',', c.table_name, c.column_name, c.ordinal_position, c.column_type,
      c.is_nullable, c.column_key, c.column_default, c.column_comment) order by c.table_name, c.ordinal_position)) as text,
      (select count(*) from information_schema.key_column_usage k where k.table_schema = database()) as constraints_count,
      (select md5(group_concat(concat_ws(',', s.table_name, s.index_name, s.non_unique, s.seq_in_index, s.column_name)
        order by s.table_name, s.index_name, s.seq_in_index)) from information_schema.statistics s
        where s.table_schema = database()) as indexes
    from information_schema.columns c where c.table_schema = database()`,
  provesKeys: false,
  userWarnings: NO_WARNINGS,
});

/** Opens MariaDB. Its sessions are in UTC, and read-only unless the command writes. */
async function openMariadb(url: string, settings: DatabaseSettings): Promise<Kysely<object>> {
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
