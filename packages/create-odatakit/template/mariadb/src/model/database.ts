import process from "node:process";
import { Kysely } from "kysely";
import { createPool } from "mysql2";
import { mariadbDialect } from "odatakit/mariadb";

const pool = createPool(process.env["DATABASE_URL"] ?? "");

/** The database of the service. */
export const db = new Kysely<object>({ dialect: mariadbDialect({ pool }) });
