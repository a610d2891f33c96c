import { measureLoad } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { CpuTime } from "./server-process.ts";
import { limitsOf, type Servers } from "./with-servers.ts";

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
  /** The name of the limit server: the better one, if there are two. */
  readonly limit: string;
}

/**
 * Measures the servers in turn, round after round, so that other load on the machine affects all alike. A first round, which
 * compiles the code and fills the caches, is not counted. The limit is the better of the limit servers.
 */
export async function measureScenario(
  scenario: Scenario,
  connections: number,
  rounds: number,
  servers: Servers,
): Promise<Measurement> {
  const requests = Math.max(scenario.requests, connections);
  const limits = limitsOf(scenario, servers);
  const all = [...limits, servers.ours];
  const measured: CpuTime[][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const costs: CpuTime[] = [];
    for (const server of all) costs.push(await measureLoad(server, scenario, requests, connections));
    if (round > 0) measured.push(costs);
  }
  const better = cheapestOf(measured.map((costs) => costs.slice(0, limits.length).map(({ server }) => server)));
  const pairs = measured.flatMap((costs) => {
    const [limit, ours] = [costs[better], costs.at(-1)];
    return limit === undefined || ours === undefined ? [] : [{ limit, ours }];
  });
  const costOf = (what: "server" | "backend"): Cost =>
    toCost(pairs.map(({ ours, limit }) => ({ ours: ours[what], limit: limit[what] })));
  const hasBackend = pairs.some(({ limit }) => limit.backend > 0);
  const backend = hasBackend ? costOf("backend") : null;
  return { scenario, connections, server: costOf("server"), backend, limit: limits[better]?.name ?? "" };
}

/** Returns the position of the server with the lowest median. @param rounds the costs of the servers in each round */
export function cheapestOf(rounds: ReadonlyArray<readonly number[]>): number {
  const medians = (rounds[0] ?? []).map((_cost, server) => median(rounds.map((costs) => costs[server] ?? Number.NaN)));
  return medians.indexOf(Math.min(...medians));
}

/** The median of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Returns the medians of rounds, and the median and the range of their quotients. */
export function toCost(pairs: ReadonlyArray<{ readonly ours: number; readonly limit: number }>): Cost {
  const ratios = pairs.map(({ ours, limit }) => ours / limit);
  return {
    ours: median(pairs.map(({ ours }) => ours)),
    limit: median(pairs.map(({ limit }) => limit)),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
  };
}
