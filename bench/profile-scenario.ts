import type { Profiler } from "node:inspector/promises";
import { measureLoad } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { ServerProcess } from "./server-process.ts";

/** How often the requests of one round are sent before the profiler starts, and while it runs. */
const REPEATS = 5;
const CONNECTIONS = 8;
/** How many functions are listed. */
const LISTED = 40;
/** Microseconds between samples. */
const INTERVAL = 200;
/** Functions that do not belong to the work of the server: waiting, and the profiler itself. */
const NO_WORK = /^\((?:idle|root)\)$| node:inspector/u;

/**
 * Runs one scenario against one server, warmed up and under the profiler.
 * @returns the functions that used most time themselves, as a text table; native ones with their caller
 */
export async function profileScenario(scenario: Scenario, server: ServerProcess): Promise<string> {
  const requests = Math.max(CONNECTIONS, scenario.requests * REPEATS);
  await measureLoad(server, scenario, requests, CONNECTIONS);
  const profile = await server.profile(INTERVAL, () => measureLoad(server, scenario, requests, CONNECTIONS));
  return `\n${server.name}, ${scenario.id} (${scenario.title}): share of busy time\n${toList(profile)}`;
}

function toList({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const places = placesOf(nodes);
  const times = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const place = places.get(id);
    if (place === undefined || NO_WORK.test(place)) continue;
    const time = timeDeltas[index] ?? 0;
    times.set(place, (times.get(place) ?? 0) + time);
    total += time;
  }
  return [...times]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, LISTED)
    .map(([place, time]) => `${((100 * time) / total).toFixed(1).padStart(5)} %  ${place}`)
    .join("\n");
}

/** Formats each node: function, file and line. */
function placesOf(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, byId.get(node.id)])));
  return new Map(nodes.map((node) => [node.id, placeOf(node, callers.get(node.id))]));
}

function placeOf({ callFrame }: Profiler.ProfileNode, caller: Profiler.ProfileNode | undefined): string {
  const { functionName, url, lineNumber } = callFrame;
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url !== "") return `${name}  ${url.split("/").slice(-2).join("/")}:${String(lineNumber + 1)}`;
  // The name of a native function alone says little.
  const isOfNobody = caller === undefined || caller.callFrame.functionName === "(root)";
  return isOfNobody ? name : `${name} ← ${placeOf(caller, undefined)}`;
}
