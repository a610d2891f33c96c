import { readFileSync } from "node:fs";
import process from "node:process";
import { createConnection } from "mysql2/promise";

// Runs seed.sql, which fails if its tables exist: no row is ever lost.
const connection = await createConnection({ uri: process.env["DATABASE_URL"] ?? "", multipleStatements: true });
await connection.query(readFileSync(new URL("../seed.sql", import.meta.url), "utf8"));
await connection.end();
