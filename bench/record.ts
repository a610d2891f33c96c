/**
 * Measures everything that `docs/explanations/measurements.md` shows, writes `bench/results/`, draws the plots and fills the
 * tables of the page. Build the package first. Over PostgreSQL only if ODATAKIT_POSTGRES has the URL of a server on this
 * machine; otherwise its recorded figures stay. Names of parts measure only these; with `--draw`, it measures nothing.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { versionOfPostgres } from "./postgres-backends.ts";
import { drawResults } from "./record/draw-results.ts";
import { PARTS, type Recording } from "./record/parts.ts";
import { recordMachine } from "./record/results.ts";
import { writePage } from "./record/write-page.ts";
import { makeFolder, writeBenchDatabase } from "./with-servers.ts";

const DEFAULT_ROUNDS = 5;

const { values, positionals } = parseArgs({
  options: { draw: { type: "boolean" }, rounds: { type: "string" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
const begun = performance.now();

if (values.draw !== true) await measure(positionals.length === 0 ? Object.keys(PARTS) : positionals);
drawResults();
writePage();

/** A part that fails does not stop the others: their results are written. */
async function measure(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => PARTS[name] === undefined);
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(", ")}: ${Object.keys(PARTS).join(", ")}`);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds cannot be ${values.rounds ?? ""}: use 1 or more`);
  }
  const directory = makeFolder();
  const file = writeBenchDatabase(directory);
  const postgres = process.env["ODATAKIT_POSTGRES"];
  const versions = postgres === undefined ? {} : { PostgreSQL: await versionOfPostgres(postgres) };
  for (const name of names) {
    const report = (progress: string): void => say(`${name}: ${progress}`);
    if (name === "postgres" && postgres === undefined) {
      report("left out, because ODATAKIT_POSTGRES is not set");
      continue;
    }
    await record(name, { directory, file, postgres, rounds, report }, versions);
  }
  say("done");
}

async function record(name: string, recording: Recording, versions: Readonly<Record<string, string>>): Promise<void> {
  say(name);
  try {
    await PARTS[name]?.(recording);
    recordMachine(name, versions);
  } catch (error) {
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  }
}

function say(progress: string): void {
  console.error(`${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${progress}`);
}
