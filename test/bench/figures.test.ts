import { describe, expect, test } from "vitest";
import { toFootprintTable } from "../../bench/footprint-table.ts";
import { joinedOf } from "../../bench/limit-http.ts";
import { cheapestOf, median, toCost } from "../../bench/measure-scenario.ts";
import { mixedReads } from "../../bench/mixed-reads.ts";
import { SCENARIOS } from "../../bench/scenarios.ts";
import { limitsOf } from "../../bench/with-servers.ts";

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test("the limit is the server with the lower median, not with the lowest round", () => {
  const rounds = [
    [10, 1],
    [11, 20],
    [12, 20],
  ];
  expect(cheapestOf(rounds)).toBe(0);
  expect(cheapestOf([[5], [6]])).toBe(0);
  expect(cheapestOf([[5, 4]])).toBe(1);
});

test("the quotient of a scenario compares the loads of one round", () => {
  const rounds = [
    { ours: 10, limit: 10 },
    { ours: 40, limit: 20 },
    { ours: 9, limit: 6 },
  ];
  expect(toCost(rounds)).toEqual({ ours: 10, limit: 10, ratio: { median: 1.5, min: 1, max: 2 } });
});

describe("the limit servers of a scenario", () => {
  const server = (name: string) => ({ name }) as never;
  const servers = { ours: server("ours"), limit: server("rows"), json: server("JSON") };
  const of = (wanted: string, some = servers): readonly string[] =>
    SCENARIOS.filter(({ id }) => id === wanted).flatMap((scenario) => limitsOf(scenario, some).map(({ name }) => name));

  test.each([
    ["S1", ["rows", "JSON"]],
    ["S3c", ["rows", "JSON"]],
    ["S6", ["rows"]],
    ["S8", ["rows"]],
    ["S9", ["rows"]],
    ["S10", ["rows"]],
  ])("%s", (id, expected) => {
    expect(of(id)).toEqual(expected);
  });

  test("over PostgreSQL there is one", () => {
    expect(of("S1", { ...servers, json: null as never })).toEqual(["rows"]);
  });
});

test("the mix of reads is the same in every run, and has all of its kinds", () => {
  const reads = mixedReads(500);
  expect(reads).toEqual(mixedReads(500));
  expect(reads).toHaveLength(500);
  const kindOf = (path: string): string => SCENARIOS.find(({ paths }) => paths.includes(path))?.id ?? path;
  expect(new Set(reads.map(kindOf))).toEqual(new Set(["S1", "S2", "S3", "S3b", "S4", "P1000"]));
});

test("every filter along navigations has operands for the limit servers", () => {
  const paths = SCENARIOS.find(({ id }) => id === "S3c")?.paths ?? [];
  const operands = paths.map((path) => joinedOf(new URL(path, "http://bench").searchParams as never));
  expect(operands).not.toContain(null);
  expect(joinedOf(new Map([["$filter", "contains(Name,'a') and Price gt 1"]]))).toBeNull();
});

test("a table of processes compares each with the limit of the same round", () => {
  const footprint = (start: number) => ({ start, cpu: 100, idle: 60, loaded: 120, read: 50 });
  const table = toFootprintTable(
    new Map([
      ["by hand", [footprint(10), footprint(20), footprint(40)]],
      ["ours", [footprint(30), footprint(30), footprint(30)]],
    ]),
  );
  expect(table.split("\n").slice(0, 5)).toEqual([
    "                                  median  min–max  ÷ limit    min–max   goal",
    "first response, ms       by hand      20    10–40",
    "first response, ms       ours         30    30–30     1.50  0.75–3.00  ≤ 1.6  within",
    "CPU time until then, ms  by hand     100  100–100",
    "CPU time until then, ms  ours        100  100–100     1.00  1.00–1.00  ≤ 1.6  within",
  ]);
});
