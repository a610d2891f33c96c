import { describe, expect, test } from "vitest";
import { fuzzCount } from "../../cases.ts";
import { compareAll } from "./compare-relations.ts";
import { RENAMED } from "./relations-engines.ts";
import { navigationQuery, setQuery } from "./relations-queries.ts";

/** Requests per engine. */
const RUNS = fuzzCount(200, "fuzz:relations");

describe.each(RENAMED)("over %s, as over arrays", (_engine, engine) => {
  test("requests to sets are answered", { timeout: 300_000 + RUNS * 40 }, async () => {
    const paged = { secret: "a secret of the tests, long enough", defaults: { paging: "keyset", maxTop: 3 } } as const;
    expect(await compareAll(setQuery, RUNS, {}, engine)).toBeGreaterThan(0.5);
    expect(await compareAll(setQuery, RUNS, paged, engine)).toBeGreaterThan(0.5);
  });

  test("routes along navigations are answered", { timeout: 300_000 + RUNS * 40 }, async () => {
    expect(await compareAll(navigationQuery, RUNS, {}, engine)).toBeGreaterThan(0.2);
  });
});
