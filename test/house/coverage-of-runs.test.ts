import { expect, test } from "vitest";
import { coverageOfRooms, type FileCoverage, type RunCoverage } from "./coverage-of-runs.ts";

/** A file with a condition of two branches for each pair of counts. */
function file(path: string, ...counts: readonly (readonly [number, number])[]): FileCoverage {
  const places = counts.map((_pair, line) => ({ loc: { line }, locations: [{ line }, { line: line + 1 }] }));
  return { path, branchMap: Object.fromEntries(places.entries()), b: Object.fromEntries(counts.entries()) };
}

function run(...files: readonly FileCoverage[]): RunCoverage {
  return Object.fromEntries(files.map((each) => [each.path, each]));
}

const FLOORS = { edm: 75, "sql/dialects": 50, sql: 10, gone: 1 };

test("a branch is covered if any run took it", () => {
  const runs = [
    run(file("/root/src/edm/a.ts", [1, 0], [0, 0]), file("/root/src/sql/dialects/b.ts", [0, 0])),
    run(file("/root/src/edm/a.ts", [0, 5], [0, 0]), file("/root/src/sql/c.ts", [3, 3])),
  ];
  expect(coverageOfRooms(runs, FLOORS, "/root")).toEqual([
    { room: "edm", percent: 50, floor: 75 },
    { room: "sql/dialects", percent: 0, floor: 50 },
    { room: "sql", percent: 50, floor: 10 },
    { room: "gone", percent: 0, floor: 1 },
  ]);
});

test("without a run nothing is covered", () => {
  expect(coverageOfRooms([], { edm: 97 }, "/root")).toEqual([{ room: "edm", percent: 0, floor: 97 }]);
});
