import { describe, expect, test, vi } from "vitest";
import type { RowShape } from "../../../src/language/query/row-shape.ts";
import { SEED } from "../../cases.ts";
import { FAMILIES, SETTINGS, type Engine } from "./row-engines.ts";
import { databasePair, oneOf, randomNumbers } from "./row-pairs.ts";
import { readsOf, requestsOf, roundOf, type RowRequest } from "./row-requests.ts";
import type { NumberedUser } from "./row-rules.ts";
import { answersOf, RUNS } from "./row-runs.ts";

/**
 * Fifty users, with claims of all lengths, send their requests in turns to one service over tables. They get the same
 * responses with a cache of statements of the usual size, of ten, and without one. Each statement that the cache returns is
 * compared with one that is made anew.
 */

const USERS = 50;
const REQUESTS_EACH = Math.max(2, Math.round(RUNS / USERS));

interface Statement {
  readonly sql: string;
  readonly slots: readonly unknown[];
  readonly rowShape?: RowShape;
}

interface Slot {
  readonly read: (execution: unknown) => unknown;
}

/** The size of caches that are made from now on, and what the checks of the usual one have found. */
const caches = vi.hoisted(() => ({ capacity: 3000, hits: 0, faults: [] as unknown[] }));

vi.mock(import("../../../src/databases/read/kept-statements.ts"), async (original) => {
  const found = await original();
  class CheckedStatements extends found.KeptStatements {
    constructor() {
      super(caches.capacity);
    }

    override get<S extends Statement | null>(...[rows, parts, sources, make]: [...GetParameters, () => S]): S {
      let isNew = false;
      const kept = super.get(rows, parts, sources, () => {
        isNew = true;
        return make();
      });
      return isNew ? kept : checked(kept, make());
    }
  }
  return { ...found, KeptStatements: CheckedStatements };
});

type KeptStatements = InstanceType<(typeof import("../../../src/databases/read/kept-statements.ts"))["KeptStatements"]>;
type GetParameters = Parameters<KeptStatements["get"]> extends [...infer P, unknown] ? P : never;

/** Compares a kept statement with one made anew, and returns one whose places compare their values. */
function checked<S extends Statement | null>(kept: S, made: S): S {
  caches.hits += 1;
  const texts = [kept, made].map((each) => [
    each?.sql,
    each?.slots.length,
    ...Array.from(each?.rowShape?.columns.keys() ?? [], ({ name }) => name),
  ]);
  if (JSON.stringify(texts[0]) !== JSON.stringify(texts[1])) caches.faults.push(texts);
  if (kept === null || made === null) return kept;
  const slots = kept.slots.map((slot, place) => {
    if (!isSlot(slot)) return slot;
    const read = (execution: unknown): unknown => {
      const value = slot.read(execution);
      const other = made.slots[place];
      const expected = isSlot(other) ? other.read(execution) : other;
      if (textOf(value) !== textOf(expected)) caches.faults.push([kept.sql, place, value, expected]);
      return value;
    };
    return { ...slot, read };
  });
  return { ...kept, slots };
}

function isSlot(slot: unknown): slot is Slot {
  return typeof slot === "object" && slot !== null && "read" in slot;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? `${String(each)}n` : each)) ?? "";
}

interface Turn {
  readonly user: NumberedUser;
  readonly request: RowRequest;
}

/** Requests of all users in a random order; those of one user keep theirs, and some of them are the same for all. */
function turnsOf(seed: number): { readonly turns: readonly Turn[]; readonly pair: ReturnType<typeof databasePair> } {
  const pair = databasePair("alice", seed);
  const random = randomNumbers(seed);
  const round = roundOf(pair);
  const common = readsOf(round, seed, REQUESTS_EACH);
  const all = Array.from({ length: USERS }, (_, index): Turn[] => {
    const own = requestsOf(round, seed + index, REQUESTS_EACH);
    return [...common, ...own].map((request) => ({ user: `user${index}`, request }));
  }).flat();
  const placed = all.map((turn) => ({ turn, place: random() })).toSorted((a, b) => a.place - b.place);
  return { pair, turns: placed.map(({ turn }) => turn) };
}

async function run(engine: Engine, seed: number, capacity: number): Promise<readonly unknown[]> {
  caches.capacity = capacity;
  const { pair, turns } = turnsOf(seed);
  const shared = oneOf(SETTINGS, randomNumbers(seed));
  const { service, stored, end } = await engine.start({
    data: pair.first,
    isGuarded: true,
    shared,
    categories: undefined,
    hidden: undefined,
    isHooked: false,
  });
  try {
    const found: unknown[] = [];
    for (const { user, request } of turns) found.push(await answersOf(service, user, [request]));
    return [...found, textOf(Object.entries((await stored()) ?? {}).map(([name, rows]) => [name, [...rows]]))];
  } finally {
    // The plans of distributed tables are judged by other tests.
    await end().catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith("Citus refuses"))) throw error;
    });
  }
}

describe.each(FAMILIES.slice(1))("$name", ({ engines }) => {
  test.each(engines)(
    "$name: 50 users with one cache of statements get what they get without",
    { timeout: 600_000 },
    async (engine) => {
      const seed = SEED * 10_000 + engines.indexOf(engine);
      Object.assign(caches, { hits: 0, faults: [] });
      const without = await run(engine, seed, 0);
      expect(caches).toMatchObject({ hits: 0, faults: [] });
      const usual = await run(engine, seed, 3000);
      expect(caches.hits).toBeGreaterThan(USERS);
      expect(caches.faults).toEqual([]);
      const small = await run(engine, seed, 10);
      expect(caches.faults).toEqual([]);
      expect(usual).toEqual(without);
      expect(small).toEqual(without);
    },
  );
});
