import process from "node:process";
import { Kysely, MysqlDialect } from "kysely";
import { createPool } from "mysql2";

const pool = createPool(process.env["DATABASE_URL"] ?? "");

/** The database of the service. */
export const db = new Kysely<object>({ dialect: new MysqlDialect({ pool }) });
