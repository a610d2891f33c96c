import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzCount, SEED } from "../cases.ts";
import { ENGINES, PARTIAL, type Engine } from "./relations-engines.ts";
import { memoryService, type Service, type Shared } from "./relations-memory.ts";
import { navigationQuery, setQuery, targetOf, type Query } from "./relations-queries.ts";
import { relationRows } from "./relations-rows.ts";

/** Requests per engine. */
const RUNS = fuzzCount(600, "fuzz:relations");
/** Routes per engine: fewer would not show how many of them are answered. */
const ROUTES = Math.max(RUNS / 10, 30);
/** Requests on the same rows. */
const RUNS_PER_ROUND = 100;

const ORIGIN = "http://service.example";
/** Most pages that are followed, those of expansions counted. */
const PAGES = 12;

/** Settings under which all is compared: as they come, small enough that pages end everywhere, and by place. */
const SETTINGS: ReadonlyArray<readonly [name: string, shared: Shared]> = [
  ["settings as they come", {}],
  ["small pages", { defaults: { maxTop: 3, maxExpandTop: 2 } }],
  ["keyset paging", { secret: "a secret of the tests, long enough", defaults: { paging: "keyset", maxTop: 3 } }],
];

/** Every next link of an answer, wherever it stands. */
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

/** Without what may differ: whether the parent or the related entity is missing is not known to every engine. */
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
async function compareAll(
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

describe.each(ENGINES)("over %s, as over arrays", (_engine, engine) => {
  describe.each(SETTINGS)("%s", (_settings, shared) => {
    test("requests to sets are answered", { timeout: 60_000 + RUNS * 40 }, async () => {
      // A generator of faults alone would prove nothing.
      expect(await compareAll(setQuery, RUNS / 3, shared, engine)).toBeGreaterThan(0.6);
    });

    test("routes along navigations are answered", { timeout: 60_000 + RUNS * 40 }, async () => {
      expect(await compareAll(navigationQuery, ROUTES, shared, engine)).toBeGreaterThan(0.25);
    });
  });
});

test(
  "over arrays that declare how they are related, expressions along navigations are answered alike",
  { timeout: 60_000 + RUNS * 40 },
  async () => {
    const declared: Engine = (data, shared) =>
      Promise.resolve({ service: memoryService(data, "joins", shared), end: () => Promise.resolve() });
    // What no handler brings is not expanded over arrays.
    const queries = setQuery.map(({ options: { $expand: _expanded, ...options }, ...query }) => ({
      ...query,
      options,
    }));
    expect(await compareAll(queries, RUNS / 2, {}, declared)).toBeGreaterThan(0.6);
  },
);

test.each(PARTIAL)(
  "over %s, what one statement can say is answered alike, all else refused",
  { timeout: 60_000 + RUNS * 40 },
  async (_name, engine) => {
    expect(await compareAll(setQuery, RUNS / 3, {}, engine, true)).toBeGreaterThan(0.5);
  },
);
