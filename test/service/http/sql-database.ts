import { Kysely, type LogEvent } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { ENGINES, isSpread, type OpenDatabase } from "../../engine/executors/engines.ts";

/**
 * Opens an empty database for a test over HTTP: SQLite. In the project "distributed" it is PostgreSQL as if it were spread
 * over machines, and closing it fails if it got a statement that Citus refuses.
 */
export async function openSql(log?: (event: LogEvent) => void): Promise<OpenDatabase> {
  const [engine] = ENGINES;
  if (isSpread() && engine !== undefined) return engine.open(log);
  const db: OpenDatabase["db"] = new Kysely({
    dialect: sqliteDialect(":memory:"),
    ...(log === undefined ? {} : { log }),
  });
  return { db, close: () => db.destroy() };
}
