import { measureLoad } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { CpuTime, ServerProcess } from "./server-process.ts";

/** CPU time per request in microseconds, median over the rounds. */
export interface Cost {
  readonly ours: number;
  readonly limit: number;
  /** Ours as a multiple of the limit, of the two loads of each round. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
}

/** The cost of a scenario with a number of connections. */
export interface Measurement {
  readonly scenario: Scenario;
  readonly connections: number;
  /** Of the process of the server. */
  readonly server: Cost;
  /** Of the processes of PostgreSQL. Null: SQLite runs in the process of the server. */
  readonly backend: Cost | null;
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
  const pairs: Array<{ readonly limit: CpuTime; readonly ours: CpuTime }> = [];
  for (let round = 0; round < rounds; round += 1) {
    const limit = await measureLoad(servers.limit, scenario, requests, connections);
    pairs.push({ limit, ours: await measureLoad(servers.ours, scenario, requests, connections) });
  }
  const costOf = (what: "server" | "backend"): Cost =>
    toCost(pairs.map(({ ours, limit }) => ({ ours: ours[what], limit: limit[what] })));
  const hasBackend = pairs.some(({ limit }) => limit.backend > 0);
  return { scenario, connections, server: costOf("server"), backend: hasBackend ? costOf("backend") : null };
}

/** The median of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function toCost(pairs: ReadonlyArray<{ readonly ours: number; readonly limit: number }>): Cost {
  const ratios = pairs.map(({ ours, limit }) => ours / limit);
  return {
    ours: median(pairs.map(({ ours }) => ours)),
    limit: median(pairs.map(({ limit }) => limit)),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
  };
}
