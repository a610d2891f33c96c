import autocannon from "autocannon";
import { HOST } from "./ask.ts";
import { loadRequests } from "./load-requests.ts";
import type { Scenario } from "./scenarios.ts";
import type { CpuTime, ServerProcess } from "./server-process.ts";

/** The interval between checks for completion, in milliseconds. */
const SAMPLE_INTERVAL = 5;
/** In seconds. */
const TIMEOUT = 60;

/**
 * Sends a fixed number of requests and measures their cost on the server.
 * @returns CPU time per request
 * @throws Error when any request fails or its status is not 2xx
 */
export async function measureLoad(
  server: ServerProcess,
  scenario: Scenario,
  requests: number,
  connections: number,
): Promise<CpuTime> {
  const { id } = scenario;
  const prepared = await loadRequests(server, scenario);
  const before = await server.cpu();
  const result = await autocannon({
    url: `http://127.0.0.1:${String(server.port)}`,
    connections,
    amount: requests,
    requests: prepared,
    headers: { host: HOST },
    sampleInt: SAMPLE_INTERVAL,
    timeout: TIMEOUT,
  });
  const after = await server.cpu();
  if (result["2xx"] !== requests) {
    throw new Error(
      `${id}: ${server.name} answered ${String(result["2xx"])} of ${String(requests)} requests with 2xx (${String(result.errors)} errors).`,
    );
  }
  return {
    server: (after.server - before.server) / requests,
    backend: (after.backend - before.backend) / requests,
  };
}
