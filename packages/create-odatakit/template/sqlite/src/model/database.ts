import process from "node:process";
import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";

/** The database of the service. */
export const db = new Kysely<object>({ dialect: sqliteDialect(process.env["DATABASE_FILE"] ?? "shop.db") });
