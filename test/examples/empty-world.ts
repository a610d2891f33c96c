import { Kysely, sql } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import type { WorldDatabase } from "../../examples/world/database.ts";
import { TRIP_TABLES, WORLD_TABLES } from "../../examples/world/tables.ts";

/** Opens the tables of the world without rows: descriptions of its service need them to pass the schema check. */
export async function openEmptyWorld(): Promise<Kysely<WorldDatabase>> {
  const db = new Kysely<WorldDatabase>({ dialect: sqliteDialect(":memory:") });
  for (const table of [...Object.values(WORLD_TABLES), ...Object.values(TRIP_TABLES)]) await sql.raw(table).execute(db);
  return db;
}
