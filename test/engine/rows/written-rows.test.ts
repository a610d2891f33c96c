import { describe, expect, test } from "vitest";
import { SEED } from "../../cases.ts";
import type { Service } from "../executors/relations-memory.ts";
import { FAMILIES, roundSize, type Engine } from "./row-engines.ts";
import { databasePair, oneOf, randomNumbers } from "./row-pairs.ts";
import { keyPredicate, roundOf, TITLES, writesOf, type RowRequest } from "./row-requests.ts";
import { KEY_FIELDS, SETS, type Row, type SetName, type UserName } from "./row-rules.ts";
import { answersOf, describeRequest, RUNS, statusOf } from "./row-runs.ts";
import type { StoredRows } from "./row-store.ts";

/**
 * No user writes a row that the user cannot see afterwards: checked after each write, in the tables themselves. In half of
 * the rounds writes pass hooks, and the server sets values.
 */

const REQUESTS = Math.ceil(RUNS / 4);
const RUNS_PER_ROUND = roundSize(40, REQUESTS);

/** Returns the key of a row that was read without the service. */
function keyOf(set: SetName, text: string): Row {
  const values = JSON.parse(text) as readonly string[];
  return Object.fromEntries(
    KEY_FIELDS[set].map((field, index) => {
      const value = values[index] ?? "";
      const isNumber = field === "number" || (field === "id" && set !== "books");
      return [field, isNumber ? BigInt(value) : value] as const;
    }),
  );
}

/** Reads each row that is new or has changed. */
function readsOfChanged(before: StoredRows, after: StoredRows): readonly RowRequest[] {
  return SETS.flatMap((set) =>
    [...after[set]]
      .filter(([key, text]) => before[set].get(key) !== text)
      .map(([key]) => ({
        method: "GET",
        target: `/${TITLES[set]}(${keyPredicate(set, keyOf(set, key))})`,
        headers: {},
      })),
  );
}

/** Sends one request, whose changes must be visible. @returns whether it changed anything */
async function write(
  { service, stored }: { readonly service: Service; readonly stored: () => Promise<StoredRows | null> },
  user: UserName,
  request: RowRequest,
): Promise<boolean> {
  const before = await stored();
  const [answers = []] = await answersOf(service, user, [request]);
  const after = await stored();
  if (before === null || after === null) return false;
  const reads = readsOfChanged(before, after);
  const seen = await answersOf(service, user, reads);
  for (const [index, read] of seen.entries()) {
    const said = `${user}\n${describeRequest(request)}\n${answers.join("\n")}\nwrote ${reads[index]?.target ?? ""}`;
    expect(statusOf(read), said).toBe(200);
  }
  return reads.length > 0;
}

async function round(engine: Engine, index: number): Promise<number> {
  const seed = SEED * 10_000 + 8000 + index;
  const random = randomNumbers(seed);
  const user = oneOf<UserName>(["alice", "bob"], random);
  const pair = databasePair(user, seed);
  const running = await engine.start({ data: pair.first, isGuarded: true, shared: {}, isHooked: random() < 0.5 });
  let written = 0;
  try {
    for (const request of writesOf(roundOf(pair), seed, RUNS_PER_ROUND)) {
      if (await write(running, user, request)) written += 1;
    }
  } finally {
    await running.end();
  }
  return written;
}

// Over arrays a handler may fill in values that a rule needs: the handler is responsible for them.
const TABLES = FAMILIES.filter(({ name }) => name !== "arrays");

describe.each(TABLES)("$name", ({ engines }) => {
  test(
    `${String(REQUESTS)} writes leave nothing that is hidden from who wrote it`,
    { timeout: 300_000 + RUNS * 30 },
    async () => {
      let written = 0;
      for (let index = 0; index * RUNS_PER_ROUND < REQUESTS; index += 1) {
        const engine = engines[index % engines.length];
        if (engine !== undefined) written += await round(engine, index);
      }
      expect(written / REQUESTS).toBeGreaterThan(0.1);
    },
  );
});
