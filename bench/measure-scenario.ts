import { measureLoad } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { ServerProcess } from "./server-process.ts";

/** The cost of a scenario with a number of connections. */
export interface Measurement {
  readonly scenario: Scenario;
  readonly connections: number;
  /** CPU time per request in microseconds, median over the rounds. */
  readonly ours: number;
  readonly limit: number;
  /** Ours as a multiple of the limit, of the two loads of each round. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
}

/**
 * Measures both servers in turn, round after round, so that other load on the machine affects both alike. A first
 * round, which compiles the code and fills the caches, is not counted.
 */
export async function measureScenario(
  scenario: Scenario,
  connections: number,
  rounds: number,
  servers: { readonly ours: ServerProcess; readonly limit: ServerProcess },
): Promise<Measurement> {
  const requests = Math.max(scenario.requests, connections);
  await measureLoad(servers.limit, scenario, requests, connections);
  await measureLoad(servers.ours, scenario, requests, connections);
  const ours: number[] = [];
  const limit: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const costOfLimit = await measureLoad(servers.limit, scenario, requests, connections);
    const costOfOurs = await measureLoad(servers.ours, scenario, requests, connections);
    limit.push(costOfLimit);
    ours.push(costOfOurs);
    ratios.push(costOfOurs / costOfLimit);
  }
  return {
    scenario,
    connections,
    ours: median(ours),
    limit: median(limit),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
