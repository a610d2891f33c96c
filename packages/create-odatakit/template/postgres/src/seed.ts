import { readFileSync } from "node:fs";
import process from "node:process";
import { Client } from "pg";

// Runs seed.sql, which fails if its tables exist: no row is ever lost.
const client = new Client({ connectionString: process.env["DATABASE_URL"] });
await client.connect();
await client.query(readFileSync(new URL("../seed.sql", import.meta.url), "utf8"));
await client.end();
