import { describe, expect, test } from "vitest";
import type { Relations } from "../executors/relations-model.ts";
import { FAMILIES, SETTINGS, type Engine } from "./row-engines.ts";
import { oneOf, randomNumbers, rowsOf, withoutHidden } from "./row-pairs.ts";
import { keyPredicate, readsOf, SWEEP, TITLES } from "./row-requests.ts";
import { SETS, USERS, visibleRows, type UserName } from "./row-rules.ts";
import { answersOf, describeRequest, RUNS, SEED, statusOf } from "./row-runs.ts";

/**
 * What a user is answered over all rows is what a service without rules answers over a database that holds the user's
 * rows alone: no rule hides too much, or too little.
 */

const RUNS_PER_ROUND = 40;
/** Reads are compared in smaller numbers: each is one of few forms. */
const READS = Math.ceil(RUNS / 4);

async function compare(engine: Engine, round: number): Promise<number> {
  const seed = SEED * 10_000 + 5000 + round;
  const random = randomNumbers(seed);
  const user = oneOf(USERS, random);
  const shared = oneOf(SETTINGS, random);
  const data = rowsOf(seed);
  const requests = [...readsOf({ visible: visibleRows(user, data) }, seed, RUNS_PER_ROUND), ...SWEEP];
  const answer = async (isGuarded: boolean) => {
    const given = { data: isGuarded ? data : withoutHidden(user, data), isGuarded, shared };
    const { service, end } = await engine.start(given);
    try {
      return await answersOf(service, user, requests);
    } finally {
      await end();
    }
  };
  const expected = await answer(false);
  const found = await answer(true);
  const visible = visiblePaths(user, data);
  let answered = 0;
  for (const [index, request] of requests.entries()) {
    const answers = found[index] ?? [];
    const others = expected[index] ?? [];
    if (appliesQueries(engine) && [answers, others].some((each) => statusOf(each) === 400)) continue;
    const place = `seed ${String(SEED)}, round ${String(round)}, ${engine.name}, ${user}\n${describeRequest(request)}`;
    // Without rules a handler may answer for a parent that there is none of, or tell it in other words: with them, none is
    // called.
    const parent = /^(\/\w+\([^?]*?\))\//.exec(request.target)?.[1];
    const isLost =
      parent !== undefined &&
      !visible.has(decodeURIComponent(parent)) &&
      (statusOf(others) < 300 || statusOf(others) === 404);
    if (isLost) expect(statusOf(answers), place).toBe(404);
    else expect(answers, place).toEqual(others);
    if (statusOf(answers) < 300) answered += 1;
  }
  return answered / requests.length;
}

/** A set that applies queries itself knows but some, and cannot look into the guarded sets that they mention. */
function appliesQueries({ name }: Engine): boolean {
  return name === "arrays by batches" || name === "arrays by loaded";
}

/** Where the entities are that a user sees, and those that anyone sees. */
function visiblePaths(user: UserName, data: Relations): ReadonlySet<string> {
  const visible = visibleRows(user, data);
  return new Set(
    SETS.flatMap((set) => visible[set].map((row) => `/${TITLES[set]}(${decodeURIComponent(keyPredicate(set, row))})`)),
  );
}

describe.each(FAMILIES)("$name", ({ engines }) => {
  test(
    `${String(READS)} reads are answered as if hidden rows were absent`,
    { timeout: 120_000 + RUNS * 30 },
    async () => {
      let answered = 0;
      let rounds = 0;
      for (; rounds * RUNS_PER_ROUND < READS; rounds += 1) {
        const engine = engines[rounds % engines.length];
        if (engine !== undefined) answered += await compare(engine, rounds);
      }
      expect(answered / rounds).toBeGreaterThan(0.4);
    },
  );
});
