import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { measureLoad } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import { startServer } from "./server-process.ts";

/** The part of a `.cpuprofile` that is read. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

/** How many times the requests of one round are sent. */
const REPEATS = 6;
/** How many functions are listed. */
const LISTED = 40;
/** The profiler waits so many microseconds between samples. */
const INTERVAL = 200;
/** What the process does while nobody asks. */
const IDLE: ReadonlySet<string> = new Set(["(idle)", "(root)"]);

/**
 * Runs one scenario against ours alone, with 8 connections and under the profiler.
 * @param directory where the profile is written
 * @returns the functions that used most time themselves, as a text table
 */
export async function profileScenario(scenario: Scenario, database: string, directory: string): Promise<string> {
  const name = `${scenario.id}.cpuprofile`;
  const server = await startServer("odatakit", "odatakit-server.ts", database, [
    "--cpu-prof",
    `--cpu-prof-dir=${directory}`,
    `--cpu-prof-name=${name}`,
    `--cpu-prof-interval=${String(INTERVAL)}`,
  ]);
  await measureLoad(server, scenario, Math.max(8, scenario.requests * REPEATS), 8);
  await server.stop();
  if (!readdirSync(directory).includes(name)) throw new Error(`The server wrote no profile of ${scenario.id}.`);
  const profile = JSON.parse(readFileSync(join(directory, name), "utf8")) as CpuProfile;
  return `\n${scenario.id}: ${scenario.title}, share of busy time\n${toList(profile)}`;
}

function toList({ nodes, samples, timeDeltas }: CpuProfile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id);
    if (node === undefined || IDLE.has(node.callFrame.functionName)) continue;
    const time = timeDeltas[index] ?? 0;
    const place = placeOf(node);
    times.set(place, (times.get(place) ?? 0) + time);
    total += time;
  }
  return [...times]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, LISTED)
    .map(([place, time]) => `${((100 * time) / total).toFixed(1).padStart(5)} %  ${place}`)
    .join("\n");
}

function placeOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.split("/").slice(-2).join("/");
  const name = functionName === "" ? "(anonymous)" : functionName;
  return file === "" ? name : `${name}  ${file}:${String(lineNumber + 1)}`;
}
