import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareAnswers } from "./compare-answers.ts";
import { writeDatabase } from "./database.ts";
import { measureScenario, type Measurement } from "./measure-scenario.ts";
import { toTable } from "./print-table.ts";
import { profileScenario } from "./profile-scenario.ts";
import { readArguments, type Arguments } from "./read-arguments.ts";
import type { Scenario } from "./scenarios.ts";
import { withServer } from "./server-process.ts";

const CONNECTIONS: readonly number[] = [1, 8];
/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;

try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run({ scenarios, rounds, profile }: Arguments): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "odatakit-bench-"));
  // Deletes the large file however the process ends. Without a handler, Ctrl-C ends it without this event.
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  process.once("SIGINT", () => process.exit(INTERRUPTED));
  const database = join(directory, "shop.db");
  const started = performance.now();
  writeDatabase(database);
  console.log(`Wrote the database in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  if (profile) {
    await profileOurs(database, scenarios);
    return;
  }
  // Each server writes to its own file, so that both generate the same keys and versions.
  const copy = join(directory, "limit.db");
  copyFileSync(database, copy);
  await compareAndMeasure({ ours: database, limit: copy }, scenarios, rounds);
}

async function profileOurs(database: string, scenarios: readonly Scenario[]): Promise<void> {
  await withServer("odatakit", "odatakit-server.ts", database, async (ours) => {
    for (const scenario of scenarios) console.log(await profileScenario(scenario, ours));
  });
}

async function compareAndMeasure(
  databases: { readonly ours: string; readonly limit: string },
  scenarios: readonly Scenario[],
  rounds: number,
): Promise<void> {
  await withServer("limit", "limit-server.ts", databases.limit, async (limit) => {
    await withServer("odatakit", "odatakit-server.ts", databases.ours, async (ours) => {
      for (const scenario of scenarios) await compareAnswers(scenario, ours, limit);
      console.log("Both servers give the same answers, byte for byte.");
      const measurements: Measurement[] = [];
      for (const scenario of scenarios) {
        for (const connections of CONNECTIONS) {
          console.error(`${scenario.id}, ${String(connections)} connection(s) …`);
          measurements.push(await measureScenario(scenario, connections, rounds, { ours, limit }));
        }
      }
      console.log(`\nCPU time of the server per request, ${String(rounds)} rounds:\n\n${toTable(measurements)}`);
    });
  });
}
