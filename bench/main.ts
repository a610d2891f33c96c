import { compareAll } from "./compare-answers.ts";
import { measureScenario, type Measurement } from "./measure-scenario.ts";
import { toTable } from "./print-table.ts";
import { profileScenario } from "./profile-scenario.ts";
import { readArguments, type Arguments } from "./read-arguments.ts";
import { toComparison } from "./record/compare-recorded.ts";
import { makeFolder, withServers, writeBenchDatabase, type Servers } from "./with-servers.ts";

const CONNECTIONS: readonly number[] = [1, 8];

try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(given: Arguments): Promise<void> {
  const file = writeBenchDatabase(makeFolder());
  await withServers(file, given.postgres, (servers) =>
    (given.profile ? profileOurs : compareAndMeasure)(servers, given),
  );
}

async function profileOurs({ ours }: Servers, { scenarios }: Arguments): Promise<void> {
  for (const scenario of scenarios) console.log(await profileScenario(scenario, ours));
}

async function compareAndMeasure(servers: Servers, { scenarios, rounds, postgres }: Arguments): Promise<void> {
  for (const scenario of scenarios) await compareAll(scenario, servers);
  console.log("All servers give the same answers, byte for byte.");
  const measurements: Measurement[] = [];
  for (const scenario of scenarios) {
    for (const connections of scenario.connections ?? CONNECTIONS) {
      console.error(`${scenario.id}, ${String(connections)} connection(s) …`);
      measurements.push(await measureScenario(scenario, connections, rounds, servers));
    }
  }
  console.log(`\nCPU time of the server per request, ${String(rounds)} rounds:\n\n${toTable(measurements)}`);
  console.log(`\n${toComparison(measurements, postgres === null ? "sqlite" : "postgres")}`);
}
