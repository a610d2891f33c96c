import process from "node:process";
import { Kysely } from "kysely";
import { serve } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { terminatedService } from "./terminated-model.ts";

/** A server over PostgreSQL, for a test that terminates its connections: prints its port when it listens. */
const [, , url = "", schema = ""] = process.argv;
// A pool as in the documentation, without error listeners.
const pool = new Pool({ connectionString: url, max: 4, options: `-c search_path=${schema}`, application_name: schema });
// The pool has an idle connection before odatakit uses it.
await pool.query("select 1");
const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });
const { port } = await serve(terminatedService(db), { port: 0, host: "127.0.0.1" });
process.stdout.write(`${String(port)}\n`);
