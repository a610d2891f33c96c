import { Kysely, type Dialect } from "kysely";
import { serve } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { openOrders } from "./orders.ts";
import { createTables, type Tables } from "./tables.ts";

const DAY = 24 * 60 * 60 * 1000;
const db = new Kysely<Tables>({ dialect: dialectOf(process.env["DATABASE_URL"]) });
await createTables(db);
const { service, cancelOpen } = openOrders(db, {
  // A real one sends by SMTP or by an API, and returns its promise.
  sendMail: ({ to, subject }) => console.log(`Mail to ${to}: ${subject}`),
  log: (line) => console.log(line),
});
const server = await serve(service, { port: Number(process.env["PORT"] ?? 3000) });

const night = setInterval(() => {
  const placedBefore = new Date(Date.now() - 30 * DAY).toISOString();
  cancelOpen(placedBefore).then((count) => console.log(`${count} orders cancelled`), console.error);
}, DAY);

async function end(): Promise<void> {
  clearInterval(night);
  await server.close();
  await db.destroy();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
console.log(`Orders are served: ${server.url}/odata/Orders, with Authorization: Bearer example-ann`);

/** PostgreSQL, or SQLite in memory. */
function dialectOf(url: string | undefined): Dialect {
  if (url === undefined) return sqliteDialect(":memory:");
  return postgresDialect({ pool: new Pool({ connectionString: url }) });
}
