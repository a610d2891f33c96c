import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzCount, PROPERTY_SETTINGS } from "../../cases.ts";
import { ENGINES, type DatabaseEngine } from "./engines.ts";
import { query, targetOf } from "./thing-queries.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";
import { isUnsupported, mayDiffer, MOST_UNSUPPORTED } from "./unsupported.ts";

const ORIGIN = "http://service.example";
/** Fewer over databases whose statements need a promise each. */
const runsOver = ({ name }: DatabaseEngine): number => fuzzCount(name === "sqlite" ? 2000 : 600, "fuzz:sql");
/** Queries on the same rows. */
const RUNS_PER_ROUND = 1000;
const ROWS = 40;

const { seed } = PROPERTY_SETTINGS;

async function answerOf(service: ThingServices["memory"], target: string): Promise<string> {
  const response = await service.fetch(new Request(ORIGIN + target));
  return `${String(response.status)} ${await response.text()}`;
}

/** The number of queries that succeeded, and that the database does not support. */
interface Outcome {
  answered: number;
  unsupported: number;
}

async function compareAnswers(engine: DatabaseEngine, round: number, numRuns: number): Promise<Outcome> {
  const { memory, database, close } = await thingServices(engine, thingRows(ROWS, round));
  const outcome: Outcome = { answered: 0, unsupported: 0 };
  const property = fc.asyncProperty(query, async (options) => {
    const target = targetOf(options);
    const expected = await answerOf(memory, target);
    const found = await answerOf(database, target);
    if (isUnsupported(engine.name, found) || mayDiffer(engine.name, decodeURIComponent(target))) {
      outcome.unsupported += 1;
      return;
    }
    expect(found, `rows ${String(round)}: ${decodeURIComponent(target)}`).toBe(expected);
    if (expected.startsWith("200")) outcome.answered += 1;
  });
  await fc.assert(property, { numRuns, ...(seed === undefined ? {} : { seed: seed + round }) });
  await close();
  return outcome;
}

const FORMATS: readonly string[] = [
  "application/json;IEEE754Compatible=true",
  "application/json;odata.metadata=full",
  "application/json;odata.metadata=full;IEEE754Compatible=true",
  "application/json;odata.metadata=none",
];

describe.each(ENGINES)("the executors over arrays and over $title", (engine) => {
  const runs = runsOver(engine);

  test("answer any query alike", { timeout: 300_000 + runs * 100 }, async () => {
    let answered = 0;
    let unsupported = 0;
    for (let round = 0; round * RUNS_PER_ROUND < runs; round += 1) {
      const outcome = await compareAnswers(engine, round, Math.min(RUNS_PER_ROUND, runs - round * RUNS_PER_ROUND));
      answered += outcome.answered;
      unsupported += outcome.unsupported;
    }
    // A generator of faults alone would prove nothing. Shares of a sample of 60 vary.
    const isSample = runs < 200;
    expect(answered / runs).toBeGreaterThan(isSample ? 0.8 : 0.9);
    expect((unsupported / runs) * 1000).toBeLessThanOrEqual(MOST_UNSUPPORTED[engine.name] * (isSample ? 2 : 1));
  });

  test.each(FORMATS)("write all values alike as %s", async (format) => {
    const { memory, database, close } = await thingServices(engine, thingRows(200, 5));
    const [expected, found] = await Promise.all(
      [memory, database].map(async (service) => {
        const request = new Request(`${ORIGIN}/Things?$count=true`, { headers: { Accept: format } });
        return (await service.fetch(request)).text();
      }),
    );
    expect(found).toBe(expected);
    await close();
  });
});
