import { describe, expect, test } from "vitest";
import { SEED } from "../../cases.ts";
import type { Relations } from "../executors/relations-model.ts";
import { categoryRules, closedSets, expectRefusal } from "./row-categories.ts";
import { FAMILIES, roundSize, SETTINGS, type Engine } from "./row-engines.ts";
import { oneOf, randomNumbers, rowsOf, withoutHidden, withoutSets } from "./row-pairs.ts";
import { callsOperation, keyPredicate, readsOf, SWEEP, TITLES } from "./row-requests.ts";
import { SETS, USERS, visibleRows, type UserName } from "./row-rules.ts";
import { answersOf, describeRequest, RUNS, statusOf } from "./row-runs.ts";

/**
 * A user gets the same responses over all rows as from a service without rules over a database with only the user's
 * rows: no rule hides too much or too little. In some rounds both services have rules of categories. Then sets that the
 * user may not read are empty in the second database: responses reveal nothing of them, and both services refuse the
 * same requests.
 */

/** Fewer reads are compared, because they have few forms. */
const READS = Math.ceil(RUNS / 4);
const RUNS_PER_ROUND = roundSize(40, READS);

/** The shares of the requests that succeeded, and that rules of categories refused. */
interface Shares {
  readonly answered: number;
  readonly refused: number;
}

async function compare(engine: Engine, round: number): Promise<Shares> {
  const seed = SEED * 10_000 + 5000 + round;
  const random = randomNumbers(seed);
  const user = oneOf(USERS, random);
  const shared = oneOf(SETTINGS, random);
  const categories = categoryRules(random);
  const closed = closedSets("read", user, categories);
  const data = rowsOf(seed);
  const reads = [...readsOf({ visible: visibleRows(user, data) }, seed, RUNS_PER_ROUND), ...SWEEP];
  // Operations return entities of sets that their callers may not read.
  const requests = closed.length === 0 ? reads : reads.filter((request) => !callsOperation(request));
  const answer = async (isGuarded: boolean) => {
    const given = {
      data: isGuarded ? data : withoutSets(closed, withoutHidden(user, data)),
      isGuarded,
      shared,
      categories,
    };
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
  let [answered, refused] = [0, 0];
  for (const [index, request] of requests.entries()) {
    const answers = found[index] ?? [];
    const others = expected[index] ?? [];
    if (appliesQueries(engine) && [answers, others].some((each) => statusOf(each) === 400)) continue;
    const place = `seed ${String(SEED)}, round ${String(round)}, ${engine.name}, ${user}\n${describeRequest(request)}`;
    // Without rules a handler may return something for a missing parent, or another message. With rules no handler is
    // called.
    const parent = /^(\/\w+\([^?]*?\))\//.exec(request.target)?.[1];
    const isLost =
      parent !== undefined &&
      !visible.has(decodeURIComponent(parent)) &&
      (statusOf(others) < 300 || statusOf(others) === 404);
    if (isLost) expect(statusOf(answers), place).toBe(404);
    else expect(answers, place).toEqual(others);
    if (statusOf(answers) < 300) answered += 1;
    if (expectRefusal(answers, request, { user, categories, place })) refused += 1;
  }
  return { answered: answered / requests.length, refused: refused / requests.length };
}

/** A set that applies queries itself supports few of them, and cannot join the guarded sets that they mention. */
function appliesQueries({ name }: Engine): boolean {
  return name === "arrays by batches" || name === "arrays by loaded";
}

/** The places of entities that a user sees, and of entities that anyone sees. */
function visiblePaths(user: UserName, data: Relations): ReadonlySet<string> {
  const visible = visibleRows(user, data);
  return new Set(
    SETS.flatMap((set) => visible[set].map((row) => `/${TITLES[set]}(${decodeURIComponent(keyPredicate(set, row))})`)),
  );
}

describe.each(FAMILIES)("$name", ({ engines }) => {
  test(
    `${String(READS)} reads are answered as if hidden rows were absent`,
    { timeout: 300_000 + RUNS * 30 },
    async () => {
      let [answered, refused] = [0, 0];
      let rounds = 0;
      for (; rounds * RUNS_PER_ROUND < READS; rounds += 1) {
        const engine = engines[rounds % engines.length];
        if (engine === undefined) continue;
        const shares = await compare(engine, rounds);
        answered += shares.answered;
        refused += shares.refused;
      }
      expect(answered / rounds).toBeGreaterThan(0.4);
      // Short runs may have no round with rules of categories.
      if (RUNS >= 2000) expect(refused).toBeGreaterThan(0);
    },
  );
});
