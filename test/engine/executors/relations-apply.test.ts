import { describe, expect, test } from "vitest";
import { fuzzCount } from "../../cases.ts";
import { compareAll } from "./compare-relations.ts";
import { applyAlong, applyQuery } from "./relations-apply.ts";
import { ENGINES, PARTIAL } from "./relations-engines.ts";
import type { Shared } from "./relations-memory.ts";

/** Requests per engine. */
const RUNS = fuzzCount(400, "fuzz:relations");
const TIMEOUT = { timeout: 300_000 + RUNS * 40 };
const APPLY = { applyEnabled: true, computeEnabled: true } as const;
const SETTINGS: ReadonlyArray<readonly [name: string, shared: Shared]> = [
  ["settings as they come", { defaults: APPLY }],
  [
    "small pages",
    { secret: "a secret of the tests, long enough", defaults: { ...APPLY, paging: "keyset", maxTop: 3 } },
  ],
];

describe.each(ENGINES)("over %s, as over arrays", (_engine, engine) => {
  test.each(SETTINGS)("sets are grouped and computed, %s", TIMEOUT, async (_settings, shared) => {
    // A generator of faults alone would prove nothing.
    expect(await compareAll(applyQuery, RUNS / 2, shared, engine)).toBeGreaterThan(0.5);
  });

  test("related entities are grouped and computed", TIMEOUT, async () => {
    expect(await compareAll(applyAlong, RUNS / 4, { profile: "standard" }, engine)).toBeGreaterThan(0.25);
  });
});

describe.each(SETTINGS)("%s", (_settings, shared) => {
  test.each(PARTIAL)(
    "over %s, queries of one statement return the same, and others are refused",
    TIMEOUT,
    async (_name, engine) => {
      expect(await compareAll(applyQuery, RUNS / 4, shared, engine, true)).toBeGreaterThan(0.4);
    },
  );
});
