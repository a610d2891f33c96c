/**
 * Measures everything that `docs/explanations/measurements.md` shows, writes `bench/results/`, draws the plots and fills the
 * tables of the page. Build the package first. Over PostgreSQL only if ODATAKIT_POSTGRES has the URL of a server on this
 * machine; otherwise its recorded figures stay. Names of parts measure only these; with `--draw`, it measures nothing.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { compareAnswers } from "./compare-answers.ts";
import { measureScenario } from "./measure-scenario.ts";
import { versionOfPostgres } from "./postgres-backends.ts";
import { measureConnections } from "./record/connections.ts";
import { drawResults } from "./record/draw-results.ts";
import { measureGrowth } from "./record/growth.ts";
import { measureMicro } from "./record/micro.ts";
import { describeMachine, type RecordedScenario, toRecorded, writeResult } from "./record/results.ts";
import { measureStages, measureStart } from "./record/start.ts";
import { writePage } from "./record/write-page.ts";
import { SCENARIOS } from "./scenarios.ts";
import { makeFolder, metadataOf, withServers, writeBenchDatabase, type Servers } from "./with-servers.ts";

const CONNECTIONS: readonly number[] = [1, 8];
const DEFAULT_ROUNDS = 5;
const PARTS = ["micro", "growth", "sqlite", "start", "postgres"] as const;

const { values, positionals } = parseArgs({
  options: { draw: { type: "boolean" }, rounds: { type: "string" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
const begun = performance.now();
const directory = makeFolder();

if (values.draw !== true) await measureAll();
drawResults();
writePage();

function isWanted(part: (typeof PARTS)[number]): boolean {
  const isMeant = positionals.length === 0 || positionals.includes(part);
  if (isMeant) console.error(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${part} …`);
  return isMeant;
}

async function measureAll(): Promise<void> {
  const unknown = positionals.filter((part) => PARTS.every((known) => known !== part));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(", ")}: ${PARTS.join(", ")}`);
  const file = writeBenchDatabase(directory);
  if (isWanted("micro")) writeResult("micro", await measureMicro(file));
  if (isWanted("growth")) await measureCurves(file);
  if (isWanted("sqlite")) {
    await withServers(file, null, async (servers) => writeResult("sqlite", await measureScenarios(servers, false)));
  }
  if (isWanted("start")) {
    await withServers(file, null, async ({ ours }) => {
      writeResult("start", await measureStart(file, await metadataOf(ours)));
    });
    writeResult("stages", await measureStages(file));
  }
  const postgres = process.env["ODATAKIT_POSTGRES"];
  const versions: Record<string, string> = {};
  if (postgres !== undefined && isWanted("postgres")) {
    versions["PostgreSQL"] = await versionOfPostgres(postgres);
    await withServers(file, postgres, async (servers) => {
      writeResult("postgres", await measureScenarios(servers, true));
    });
  }
  writeResult("machine", describeMachine(versions));
  console.error(`${((performance.now() - begun) / 1000).toFixed(0)} s: done`);
}

async function measureCurves(file: string): Promise<void> {
  const growth = await measureGrowth();
  await withServers(file, null, async (servers) => {
    writeResult("growth", [...growth, await measureConnections(servers)]);
  });
}

async function measureScenarios(servers: Servers, isPostgres: boolean): Promise<readonly RecordedScenario[]> {
  const scenarios = SCENARIOS.filter(({ isOfArray }) => !isPostgres || isOfArray !== true);
  for (const scenario of scenarios) await compareAnswers(scenario, servers.ours, servers.limit);
  const recorded: RecordedScenario[] = [];
  for (const scenario of scenarios) {
    for (const connections of CONNECTIONS) {
      recorded.push(toRecorded(await measureScenario(scenario, connections, rounds, servers)));
    }
  }
  return recorded;
}
