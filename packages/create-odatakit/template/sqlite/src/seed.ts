import { readFileSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

// Runs seed.sql, which fails if its tables exist: no row is ever lost.
const database = new DatabaseSync(process.env["DATABASE_FILE"] ?? "shop.db");
database.exec(readFileSync(new URL("../seed.sql", import.meta.url), "utf8"));
database.close();
