import { describe, expect, test } from "vitest";
import { fuzzCount } from "../../cases.ts";
import { compareAll } from "./compare-relations.ts";
import { isSpread } from "./engines.ts";
import { DECLARED, ENGINES, PARTIAL, type Engine } from "./relations-engines.ts";
import { memoryService, type Shared } from "./relations-memory.ts";
import { navigationQuery, setQuery } from "./relations-queries.ts";

/** Requests per engine. */
const RUNS = fuzzCount(600, "fuzz:relations");
/** Routes per engine: fewer would not show how many of them are answered. */
const ROUTES = Math.max(RUNS / 10, 30);
/** Settings under which all is compared: as they come, small enough that pages end everywhere, and by place. */
const SETTINGS: ReadonlyArray<readonly [name: string, shared: Shared]> = [
  ["settings as they come", {}],
  ["small pages", { defaults: { maxTop: 3, maxExpandTop: 2 } }],
  ["keyset paging", { secret: "a secret of the tests, long enough", defaults: { paging: "keyset", maxTop: 3 } }],
];

/** A database on several machines refuses queries that need several statements. Arrays answer all. */
const mayRefuse = (name: string): boolean => isSpread() && !name.startsWith("arrays");

describe.each(ENGINES)("over %s, as over arrays", (name, engine) => {
  describe.each(SETTINGS)("%s", (_settings, shared) => {
    test("requests to sets are answered", { timeout: 300_000 + RUNS * 40 }, async () => {
      // A generator of faults alone would prove nothing.
      expect(await compareAll(setQuery, RUNS / 3, shared, engine, mayRefuse(name))).toBeGreaterThan(
        mayRefuse(name) ? 0.5 : 0.6,
      );
    });

    test("routes along navigations are answered", { timeout: 300_000 + RUNS * 40 }, async () => {
      expect(await compareAll(navigationQuery, ROUTES, shared, engine, mayRefuse(name))).toBeGreaterThan(0.25);
    });
  });
});

test(
  "over arrays that declare how they are related, expressions along navigations are answered alike",
  { timeout: 300_000 + RUNS * 40 },
  async () => {
    const declared: Engine = (data, shared) =>
      Promise.resolve({ service: memoryService(data, "joins", shared), end: () => Promise.resolve() });
    // Over arrays, navigations without a handler are not expanded.
    const queries = setQuery.map(({ options: { $expand: _expanded, ...options }, ...query }) => ({
      ...query,
      options,
    }));
    expect(await compareAll(queries, RUNS / 2, {}, declared)).toBeGreaterThan(0.6);
  },
);

test.each(PARTIAL)(
  "over %s, queries of one statement return the same, and others are refused",
  { timeout: 300_000 + RUNS * 40 },
  async (_name, engine) => {
    expect(await compareAll(setQuery, RUNS / 3, {}, engine, true)).toBeGreaterThan(0.5);
  },
);

test.each(DECLARED)(
  "over %s, routes along navigations are answered alike",
  { timeout: 300_000 + RUNS * 40 },
  async (_name, engine) => {
    expect(await compareAll(navigationQuery, ROUTES, {}, engine, true)).toBeGreaterThan(0.25);
  },
);
