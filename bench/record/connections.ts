import autocannon from "autocannon";
import { HOST } from "../ask.ts";
import { PREFIX } from "../scenarios.ts";
import type { Servers } from "../with-servers.ts";
import { rounded } from "./figures.ts";
import type { Growth } from "./growth.ts";

const CONNECTIONS: readonly number[] = [1, 10, 100, 1000];
/** In seconds. */
const DURATION = 2;

/** Measures the CPU time of a key read by the number of connections. */
export async function measureConnections({ ours, limit }: Servers): Promise<Growth> {
  const curves = [];
  for (const server of [ours, limit]) {
    const points: Array<readonly [number, number]> = [];
    for (const connections of CONNECTIONS) {
      const before = (await server.cpu()).server;
      const result = await autocannon({
        url: `http://127.0.0.1:${String(server.port)}${PREFIX}/Orders(7)`,
        connections,
        duration: DURATION,
        headers: { host: HOST },
      });
      if (result.errors > 0 || result.non2xx > 0) {
        throw new Error(`${server.name}: ${String(result.errors)} errors with ${String(connections)} connections`);
      }
      points.push([connections, rounded(((await server.cpu()).server - before) / result["2xx"])]);
    }
    curves.push({ line: server.name, points });
  }
  return { of: "connections, for a key read over HTTP", curves };
}
