import { isDeepStrictEqual } from "node:util";
import autocannon, { type Request } from "autocannon";
import { ask, HOST } from "../ask.ts";
import { SIZES } from "../database.ts";
import { median } from "../measure-scenario.ts";
import { seededRandom } from "../random.ts";
import { PREFIX } from "../scenarios.ts";
import type { ServerProcess } from "../server-process.ts";
import type { Servers } from "../with-servers.ts";
import { rounded } from "./figures.ts";

/** The CPU time of twenty key reads in one form, in microseconds. */
export interface BatchCost {
  readonly form: string;
  readonly limit: number;
  readonly ours: number;
  readonly ratio: number;
}

/** The reads of one batch, the different batches, and how often they are sent in a round. */
const READS = 20;
const VARIETY = 25;
const REPEATED = 8;
const BATCH = `${PREFIX}/$batch`;
const BOUNDARY = "batch_of_reads";
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };
const MULTIPART_HEADERS = { "content-type": `multipart/mixed; boundary=${BOUNDARY}` };

const random = seededRandom(20);
const KEYS = Array.from({ length: VARIETY }, () =>
  Array.from({ length: READS }, () => `Orders(${String(1 + random.below(SIZES.orders))})`),
);

/** The forms in which the reads are sent. The limit server has no batches in multipart: it is sent those in JSON. */
const SINGLE = KEYS.flat().map((path): Request => ({ path: `${PREFIX}/${path}` }));
const IN_JSON = KEYS.map((paths): Request => ({
  method: "POST",
  path: BATCH,
  headers: JSON_HEADERS,
  body: jsonBatch(paths),
}));
const IN_MULTIPART = KEYS.map((paths): Request => ({
  method: "POST",
  path: BATCH,
  headers: MULTIPART_HEADERS,
  body: multipartBatch(paths),
}));
const FORMS: ReadonlyArray<readonly [form: string, ours: readonly Request[], limit: readonly Request[]]> = [
  ["20 requests", SINGLE, SINGLE],
  ["a batch in JSON", IN_JSON, IN_JSON],
  ["a batch in multipart, by hand in JSON", IN_MULTIPART, IN_JSON],
];

/** Measures twenty reads as requests and as batches. */
export async function measureBatches(servers: Servers, rounds: number): Promise<readonly BatchCost[]> {
  await compareBatches(servers);
  const costs: BatchCost[] = [];
  for (const [form, ours, limit] of FORMS) {
    const pairs: Array<{ readonly ours: number; readonly limit: number }> = [];
    for (let round = 0; round <= rounds; round += 1) {
      const byHand = await costOf(servers.limit, limit);
      pairs.push({ limit: byHand, ours: await costOf(servers.ours, ours) });
    }
    // The first round compiles the code.
    pairs.shift();
    costs.push({
      form,
      limit: rounded(median(pairs.map((pair) => pair.limit))),
      ours: rounded(median(pairs.map((pair) => pair.ours))),
      ratio: rounded(median(pairs.map((pair) => pair.ours / pair.limit))),
    });
  }
  return costs;
}

/** Returns the CPU time of twenty reads. */
async function costOf(server: ServerProcess, requests: readonly Request[]): Promise<number> {
  const amount = requests.length * REPEATED;
  const before = (await server.cpu()).server;
  const { errors, non2xx } = await autocannon({
    url: `http://127.0.0.1:${String(server.port)}`,
    connections: 1,
    amount,
    requests: [...requests],
    headers: { host: HOST },
  });
  if (errors > 0 || non2xx > 0) throw new Error(`${server.name}: ${String(errors + non2xx)} batches failed`);
  return ((await server.cpu()).server - before) / (VARIETY * REPEATED);
}

/** @throws Error if the servers return different entities */
async function compareBatches({ ours, limit }: Servers): Promise<void> {
  const [paths = []] = KEYS;
  const [left, right] = await Promise.all([ours, limit].map((server) => entitiesOf(server, paths)));
  if (!isDeepStrictEqual(left, right)) throw new Error("The servers answer a batch differently.");
}

async function entitiesOf({ port }: ServerProcess, paths: readonly string[]): Promise<unknown> {
  const { body } = await ask(port, BATCH, { method: "POST", headers: JSON_HEADERS, body: jsonBatch(paths) });
  const { responses } = JSON.parse(body.toString()) as { readonly responses: ReadonlyArray<Record<string, unknown>> };
  return responses.map(({ id, status, body: entity }) => ({ id, status, entity }));
}

function jsonBatch(paths: readonly string[]): string {
  return JSON.stringify({ requests: paths.map((url, index) => ({ id: String(index), method: "GET", url })) });
}

function multipartBatch(paths: readonly string[]): string {
  const parts = paths.map((path) =>
    [`--${BOUNDARY}`, "Content-Type: application/http", "", `GET ${path} HTTP/1.1`, "", "", ""].join("\r\n"),
  );
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}
