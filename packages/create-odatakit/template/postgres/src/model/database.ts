import process from "node:process";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });

/** The database of the service. */
export const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) });
