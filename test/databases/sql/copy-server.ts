import process from "node:process";
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/**
 * One of several copies of a service over PostgreSQL: prints its port when it listens, and ends at SIGTERM, a number of
 * milliseconds after its readiness.
 */
const [, , url = "", schema = "", drainDelay = "0"] = process.argv;
const pool = new Pool({ connectionString: url, max: 4, options: `-c search_path=${schema}`, application_name: schema });
const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), version: edm.int32() });
const items = sqlEntitySet(Item, {
  db,
  table: "items",
  operations: ["read", "patch"],
  etag: ["name", "version"],
  paging: "keyset",
});
const service = odataService({
  entitySets: [items],
  secret: "one secret for all copies, of 32 characters or more",
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
});
const server = await serve(service, { port: 0, host: "127.0.0.1", ready: "/readyz", drainDelay: Number(drainDelay) });
process.once("SIGTERM", () => {
  void server.close().then(() => db.destroy());
});
process.stdout.write(`${String(server.port)}\n`);
