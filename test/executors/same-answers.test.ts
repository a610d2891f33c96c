import process from "node:process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { query, targetOf } from "./thing-queries.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";

const ORIGIN = "http://service.example";
/** Queries per run: `npm run fuzz:sql` asks for more, `FUZZ_RUNS` for any number. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? (process.env["npm_lifecycle_event"] === "fuzz:sql" ? 50_000 : 2000));
/** Queries on the same rows. */
const RUNS_PER_ROUND = 1000;
const ROWS = 40;

const seed = process.env["FUZZ_SEED"] === undefined ? undefined : Number(process.env["FUZZ_SEED"]);

async function answerOf(service: ThingServices["memory"], target: string): Promise<string> {
  const response = await service.fetch(new Request(ORIGIN + target));
  return `${String(response.status)} ${await response.text()}`;
}

/** How many of the queries were answered, and not refused. */
async function compareAnswers(round: number, numRuns: number): Promise<number> {
  const { memory, sqlite, db } = await thingServices(thingRows(ROWS, round));
  let answered = 0;
  const property = fc.asyncProperty(query, async (options) => {
    const target = targetOf(options);
    const expected = await answerOf(memory, target);
    expect(await answerOf(sqlite, target), `rows ${String(round)}: ${decodeURIComponent(target)}`).toBe(expected);
    if (expected.startsWith("200")) answered += 1;
  });
  await fc.assert(property, { numRuns, ...(seed === undefined ? {} : { seed: seed + round }) });
  await db.destroy();
  return answered;
}

const FORMATS: readonly string[] = [
  "application/json;IEEE754Compatible=true",
  "application/json;odata.metadata=full",
  "application/json;odata.metadata=full;IEEE754Compatible=true",
  "application/json;odata.metadata=none",
];

describe("the executors over arrays and over SQLite", () => {
  test("answer any query alike", { timeout: 60_000 + RUNS * 40 }, async () => {
    let answered = 0;
    for (let round = 0; round * RUNS_PER_ROUND < RUNS; round += 1) {
      answered += await compareAnswers(round, Math.min(RUNS_PER_ROUND, RUNS - round * RUNS_PER_ROUND));
    }
    // A generator of faults alone would prove nothing.
    expect(answered / RUNS).toBeGreaterThan(0.95);
  });

  test.each(FORMATS)("write all values alike as %s", async (format) => {
    const { memory, sqlite, db } = await thingServices(thingRows(200, 5));
    const [expected, found] = await Promise.all(
      [memory, sqlite].map(async (service) => {
        const request = new Request(`${ORIGIN}/Things?$count=true`, { headers: { Accept: format } });
        return (await service.fetch(request)).text();
      }),
    );
    expect(found).toBe(expected);
    await db.destroy();
  });
});
