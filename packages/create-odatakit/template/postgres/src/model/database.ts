import process from "node:process";
import { Kysely } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });

/** The database of the service. */
export const db = new Kysely<object>({ dialect: postgresDialect({ pool }) });
