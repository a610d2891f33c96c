import fc from "fast-check";
import { expect } from "vitest";
import { SEED } from "../../cases.ts";
import type { Engine } from "./relations-engines.ts";
import { memoryService, type Service, type Shared } from "./relations-memory.ts";
import { targetOf, type Query } from "./relations-queries.ts";
import { relationRows } from "./relations-rows.ts";

/** Requests on the same rows. */
const RUNS_PER_ROUND = 100;

const ORIGIN = "http://service.example";
/** Most pages that are followed, those of expansions counted. */
const PAGES = 12;

/** Returns all next links of a response, at any depth. */
function linksIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return body.flatMap(linksIn);
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name.endsWith("@odata.nextLink") ? [String(value)] : linksIn(value),
  );
}

/** The answer to a request and to the pages that it leads to, in the order in which they are met. */
async function answersOf(service: Service, query: Query): Promise<readonly string[]> {
  const headers: Record<string, string> =
    query.pageSize === undefined ? {} : { Prefer: `maxpagesize=${String(query.pageSize)}` };
  const urls = [ORIGIN + targetOf(query)];
  const answers: string[] = [];
  for (const url of urls) {
    const response = await service.fetch(new Request(url, { headers }));
    const text = await response.text();
    answers.push(`${decodeURIComponent(url.slice(ORIGIN.length))}\n${String(response.status)} ${text}`);
    if (response.status !== 200 || !text.startsWith("{")) continue;
    urls.push(...linksIn(JSON.parse(text)).slice(0, PAGES - urls.length));
  }
  return answers;
}

const isStatus = (answer: string, status: string): boolean => answer.split("\n")[1]?.startsWith(status) === true;

/** Tokens that are sealed differ each time. */
function withoutTokens(answer: string): string {
  return answer.replaceAll(/(?<=skiptoken=)[^"&\n]{17,}/g, "…");
}

/** Removes the part that may differ: not every engine knows whether the parent or the related entity is missing. */
function comparable(answer: string): string {
  const text = withoutTokens(answer);
  return isStatus(text, "404") ? text.replace(/"message":".*?(?<!\\)"/, "") : text;
}

/** Refusals of queries that need several statements: they use sets outside the database, or joins of a distributed one. */
const REFUSALS = /cannot join (?:what it leads to|it)|refers to anything but the related entities/;

function isRefused(answers: readonly string[]): boolean {
  return answers.some((answer) => isStatus(answer, "400") && REFUSALS.test(answer));
}

/** Compares an engine with arrays whose navigations have handlers, on some rows. @returns how many requests succeeded */
async function compare(
  queries: fc.Arbitrary<Query>,
  { round, runs, shared }: { readonly round: number; readonly runs: number; readonly shared: Shared },
  start: Engine,
  mayRefuse: boolean,
): Promise<number> {
  const data = relationRows(round + SEED * 1000);
  const oracle = memoryService(data, "batches", shared);
  const engine = await start(data, shared);
  let answered = 0;
  const property = fc.asyncProperty(queries, async (query) => {
    const expected = await answersOf(oracle, query);
    for (const answer of expected) expect(isStatus(answer, "500"), answer).toBe(false);
    const found = await answersOf(engine.service, query);
    if (mayRefuse && isRefused(found)) return;
    expect(found.map(comparable), `rows ${String(round)}`).toEqual(expected.map(comparable));
    if (isStatus(expected[0] ?? "", "20")) answered += 1;
  });
  try {
    await fc.assert(property, { numRuns: runs, seed: SEED + round });
  } finally {
    await engine.end();
  }
  return answered;
}

/** All rounds of a comparison; the share of requests that were answered. */
export async function compareAll(
  queries: fc.Arbitrary<Query>,
  runs: number,
  shared: Shared,
  engine: Engine,
  mayRefuse = false,
): Promise<number> {
  let answered = 0;
  for (let round = 0; round * RUNS_PER_ROUND < runs; round += 1) {
    const left = runs - round * RUNS_PER_ROUND;
    answered += await compare(queries, { round, runs: Math.min(RUNS_PER_ROUND, left), shared }, engine, mayRefuse);
  }
  return answered / runs;
}
