import { Kysely, type Dialect } from "kysely";
import { serve } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { adminService, browseService } from "./bookshop.ts";
import { createTables, type Tables } from "./tables.ts";

const db = new Kysely<Tables>({ dialect: dialectOf(process.env["DATABASE_URL"]) });
await createTables(db);
// An example token: set your own.
const services = [browseService(db), adminService(db, process.env["ADMIN_TOKEN"] ?? "example-admin")];
const server = await serve(services, { port: Number(process.env["PORT"] ?? 3000) });

async function end(): Promise<void> {
  await server.close();
  await db.destroy();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
console.log(`Books are served: ${server.url}/browse/Books, and ${server.url}/admin/Books with a token`);

/** PostgreSQL, or SQLite in memory. */
function dialectOf(url: string | undefined): Dialect {
  if (url === undefined) return sqliteDialect(":memory:");
  return postgresDialect({ pool: new Pool({ connectionString: url }) });
}
