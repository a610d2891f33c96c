import process from "node:process";
import { Kysely, PostgresDialect } from "kysely";
import { serve } from "odatakit/node";
import { Pool } from "pg";
import type { AnyDatabase } from "../executors/engines.ts";
import { terminatedService } from "./terminated-model.ts";

/** A server over PostgreSQL, for a test that terminates its connections: prints its port when it listens. */
const [, , url = "", schema = ""] = process.argv;
// As the documentation makes a pool: nothing listens to its errors.
const pool = new Pool({ connectionString: url, max: 4, options: `-c search_path=${schema}`, application_name: schema });
// A connection of the pool is idle before odatakit sees it.
await pool.query("select 1");
const db: AnyDatabase = new Kysely({ dialect: new PostgresDialect({ pool }) });
const { port } = await serve(terminatedService(db), { port: 0, host: "127.0.0.1" });
process.stdout.write(`${String(port)}\n`);
