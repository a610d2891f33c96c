import { describe, expect, test } from "vitest";
import { SEED } from "../../cases.ts";
import type { Shared } from "../executors/relations-memory.ts";
import type { Relations } from "../executors/relations-model.ts";
import { categoryRules, closedSets, expectRefusal, type CategoryRules } from "./row-categories.ts";
import { FAMILIES, roundSize, SETTINGS, type Engine } from "./row-engines.ts";
import {
  databasePair,
  LINK_NAMES,
  linkTextOf,
  oneOf,
  PRIVATE,
  type PrivateProperty,
  randomNumbers,
  sharedLinks,
  toMutable,
  withPrivateValues,
  type DatabasePair,
} from "./row-pairs.ts";
import { requestsOf, roundOf, SWEEP, type RowRequest } from "./row-requests.ts";
import { keyTextOf, SETS, visibleRows, type UserName } from "./row-rules.ts";
import { answersOf, describeRequest, RUNS, statusOf, type Answers } from "./row-runs.ts";
import type { StoredRows } from "./row-store.ts";

/**
 * Two databases that differ only in rows which a user may not see return the same responses: status, headers, body,
 * next links, errors; and writes change no hidden rows. In some rounds the sets have rules of categories, and
 * navigations skip those of their target sets: such rules reveal no hidden rows either, and refuse every write that
 * they must refuse. In most rounds no user may read one property, or a virtual property masks it: the databases do not share
 * its values. In half of the rounds writes pass hooks, and the server sets values.
 */

const RUNS_PER_ROUND = roundSize(50, RUNS);
/** The users, some of whom see more rows. */
const ASKING: readonly [UserName, ...UserName[]] = [
  "alice",
  "bob",
  "alice",
  "bob",
  "nobody",
  "alice",
  "bob",
  "anonymous",
];

/** The response of one database, and its rows afterwards. */
interface Outcome {
  readonly answers: readonly Answers[];
  readonly before: StoredRows | null;
  readonly after: StoredRows | null;
}

interface RunOf {
  readonly engine: Engine;
  readonly user: UserName;
  readonly shared: Shared;
  readonly categories: CategoryRules | undefined;
  readonly hidden: PrivateProperty | undefined;
  readonly isHooked: boolean;
  readonly round: number;
}

async function run(
  { engine, user, shared, categories, hidden, isHooked }: RunOf,
  data: Relations,
  requests: readonly RowRequest[],
): Promise<Outcome> {
  const { service, stored, end } = await engine.start({ data, isGuarded: true, shared, categories, hidden, isHooked });
  try {
    const before = await stored();
    const answers = await answersOf(service, user, requests);
    return { answers, before, after: await stored() };
  } finally {
    await end();
  }
}

/** The keys that a user does not see at first, by table. */
function hiddenKeys(user: UserName, data: Relations): ReadonlyMap<string, ReadonlySet<string>> {
  const visible = visibleRows(user, data);
  const lists = toMutable(data);
  const hidden = new Map<string, ReadonlySet<string>>();
  for (const set of SETS) {
    const shown = new Set(visible[set].map((row) => keyTextOf(set, row)));
    hidden.set(set, new Set(lists[set].map((row) => keyTextOf(set, row)).filter((key) => !shown.has(key))));
  }
  for (const links of LINK_NAMES) {
    const isShared = sharedLinks(user, data, links);
    hidden.set(links, new Set(lists[links].filter((link) => !isShared(link)).map((link) => linkTextOf(links, link))));
  }
  return hidden;
}

function pairOf({ user, hidden }: RunOf, seed: number): DatabasePair {
  const pair = databasePair(user, seed);
  return hidden === undefined ? pair : withPrivateValues(pair, hidden, seed);
}

/** Stored rows without the property that the databases do not share. */
function withoutPrivate(rows: StoredRows | null, hidden: PrivateProperty | undefined): StoredRows | null {
  if (rows === null || hidden === undefined) return rows;
  const { set, columns } = hidden;
  const stripped = Array.from(rows[set], ([key, text]) => {
    const members = Object.entries(JSON.parse(text) as object).filter(([name]) => !columns.includes(name));
    return [key, JSON.stringify(members)] as const;
  });
  return { ...rows, [set]: new Map(stripped) };
}

/** The rows of a database that were hidden at first, and all others. */
function divide(rows: StoredRows | null, hidden: ReadonlyMap<string, ReadonlySet<string>>) {
  const lists = Object.entries(rows ?? {}).map(([table, found]) => {
    const keys = hidden.get(table);
    const pairs = [...found].toSorted(([left], [right]) => (left < right ? -1 : 1));
    return { table, kept: pairs.filter(([key]) => keys?.has(key)), others: pairs.filter(([key]) => !keys?.has(key)) };
  });
  return {
    hidden: lists.map(({ table, kept }) => [table, kept]),
    others: lists.map(({ table, others }) => [table, others]),
  };
}

/** The place of a difference, and whether the request alone shows it. */
async function report(
  of: RunOf,
  { first, second }: DatabasePair,
  requests: readonly RowRequest[],
  index: number,
): Promise<string> {
  const request = requests[index];
  if (request === undefined) return "";
  const alone = [await run(of, first, [request]), await run(of, second, [request])].map(({ answers }) => answers);
  const isAlone = JSON.stringify(alone[0]) !== JSON.stringify(alone[1]);
  const writes = requests.slice(0, index).filter(({ method }) => method !== "GET");
  const needed = isAlone ? "by itself" : `after\n${writes.map(describeRequest).join("\n\n")}`;
  const hooks = of.isHooked ? ", with hooks" : "";
  return `seed ${String(SEED)}, round ${String(of.round)}, ${of.engine.name}, ${of.user}${hooks}\n${describeRequest(request)}\n\n${needed}`;
}

/** Sets that a user may not add to have no new rows. */
function expectNoneAdded({ user, categories }: RunOf, { before, after }: Outcome, place: string): void {
  for (const set of closedSets("create", user, categories)) {
    const added = [...(after?.[set].keys() ?? [])].filter((key) => before?.[set].has(key) !== true);
    expect(added, `new rows of ${set}, ${place}`).toEqual([]);
  }
}

/** The number of requests that succeeded, and that rules of categories refused. */
interface Total {
  readonly reads: number;
  /** The reads with `$apply` or `$compute`. */
  readonly applied: number;
  readonly writes: number;
  readonly refused: number;
}

async function compare(of: RunOf, howMany: number): Promise<Total> {
  const seed = SEED * 10_000 + of.round;
  const { hidden } = of;
  const pair = pairOf(of, seed);
  const requests = [...requestsOf(roundOf(pair), seed, howMany), ...SWEEP];
  const first = await run(of, pair.first, requests);
  const second = await run(of, pair.second, requests);
  for (const [index, answers] of first.answers.entries()) {
    const others = second.answers[index] ?? [];
    const isSame = JSON.stringify(answers) === JSON.stringify(others);
    const fault = answers.find((answer) => /^\S.*\n5(?!01)/.test(answer));
    if (isSame && fault === undefined) continue;
    const said = await report(of, pair, requests, index);
    expect(others, said).toEqual(answers);
    expect(fault, said).toBeUndefined();
  }
  const [ofFirst, ofSecond] = [hiddenKeys(of.user, pair.first), hiddenKeys(of.user, pair.second)];
  const place = `seed ${String(SEED)}, round ${String(of.round)}, ${of.engine.name}, ${of.user}`;
  expect(divide(first.after, ofFirst).hidden, `hidden rows of the first, ${place}`).toEqual(
    divide(first.before, ofFirst).hidden,
  );
  expect(divide(second.after, ofSecond).hidden, `hidden rows of the second, ${place}`).toEqual(
    divide(second.before, ofSecond).hidden,
  );
  expect(divide(withoutPrivate(second.after, hidden), ofSecond).others, `other rows, ${place}`).toEqual(
    divide(withoutPrivate(first.after, hidden), ofFirst).others,
  );
  expectNoneAdded(of, first, place);
  const { user, categories } = of;
  const refused = requests.filter((request, index) =>
    expectRefusal(first.answers[index] ?? [], request, { user, categories, place }),
  );
  const succeeded = requests.slice(0, howMany).filter((_each, index) => statusOf(first.answers[index] ?? []) < 300);
  const reads = succeeded.filter(({ method }) => method === "GET");
  const applied = reads.filter(({ target }) => /\$(?:apply|compute)=/.test(target)).length;
  const writes = succeeded.length - reads.length;
  return { reads: reads.length, applied, writes, refused: refused.length };
}

describe.each(FAMILIES)("$name", ({ engines }) => {
  test(
    `${String(RUNS)} requests with the seed ${String(SEED)} reveal no hidden row`,
    { timeout: 300_000 + RUNS * 60 },
    async () => {
      const total = { reads: 0, applied: 0, writes: 0, refused: 0 };
      for (let round = 0; round * RUNS_PER_ROUND < RUNS; round += 1) {
        const engine = engines[round % engines.length];
        if (engine === undefined) continue;
        const random = randomNumbers(SEED * 10_000 + round);
        const user = oneOf(ASKING, random);
        const settings = oneOf(SETTINGS, random);
        const categories = categoryRules(random);
        // All engines get all of them in turn, and some rounds have none.
        const property = [...PRIVATE, undefined][(round + SEED) % (PRIVATE.length + 1)];
        // Each engine has rounds with masks, and with rules.
        const isMasked = (Math.floor(round / engines.length) + SEED) % 2 === 1;
        const hidden = property && { ...property, isMasked };
        // Each engine has rounds with and without them.
        const isHooked = (Math.floor(round / engines.length) + round + SEED) % 2 === 1;
        const { reads, applied, writes, refused } = await compare(
          { engine, user, shared: settings, categories, hidden, isHooked, round },
          Math.min(RUNS_PER_ROUND, RUNS - round * RUNS_PER_ROUND),
        );
        total.reads += reads;
        total.applied += applied;
        total.writes += writes;
        total.refused += refused;
      }
      // Refusals alone would prove nothing.
      expect(total.reads / RUNS).toBeGreaterThan(0.2);
      expect(total.applied / RUNS).toBeGreaterThan(0.05);
      expect(total.writes / RUNS).toBeGreaterThan(0.05);
      // Short runs may have no round with rules of categories.
      if (RUNS >= 2000) expect(total.refused / RUNS).toBeGreaterThan(0.01);
    },
  );
});
