/**
 * Loads a server for minutes with reads, writes, mistakes, and clients that leave or wait, and judges every response. Exits
 * with code 1 if anything happens that must not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { databaseNameOf, deleteDatabase, makeDatabase } from "./open-database.ts";
import { printSoak } from "./soak/print-soak.ts";
import { recordSoak } from "./soak/record-soak.ts";
import { runSoak } from "./soak/run-soak.ts";

const USAGE = "npm run soak -- [--seconds 600] [--database postgresql://… | mysql://…] [--json] [--record]";
const DATABASE = "odatakit_soak";

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    database: { type: "string" },
    json: { type: "boolean" },
    record: { type: "boolean" },
  },
});
const seconds = Number(values.seconds ?? 600);
if (!(seconds >= 5)) throw new Error(`--seconds takes a number from 5 on: ${USAGE}`);

const isClean = await (values.database === undefined ? overFile() : overServer(values.database));
process.exitCode = isClean ? 0 : 1;

async function overFile(): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "odatakit-soak-"));
  try {
    return await soak(join(directory, "soak.db"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function overServer(server: string): Promise<boolean> {
  if (databaseNameOf(server) === "sqlite") throw new Error(`--database takes the URL of a server: ${USAGE}`);
  const place = await makeDatabase(server, DATABASE);
  try {
    return await soak(place);
  } finally {
    await deleteDatabase(server, DATABASE);
  }
}

async function soak(place: string): Promise<boolean> {
  const result = await runSoak(place, seconds);
  if (values.record === true) recordSoak(result);
  console.log(values.json === true ? JSON.stringify(result, null, 2) : printSoak(result));
  return result.violations.length === 0;
}
