import { expect, test } from "vitest";
import { totalOf } from "../../../explorer/src/query/exact-total.ts";

const LARGE = ["9007199254740993", "9007199254740992", "-1"];

test.each([
  ["sum", LARGE, "18014398509481984"],
  ["min", LARGE.slice(0, 2), "9007199254740992"],
  ["max", LARGE, "9007199254740993"],
  ["average", LARGE.slice(0, 2), "9007199254740992.5"],
  ["average", [1, 1, 0], "0.666666666667"],
  ["average", [-1, -1, 0], "-0.666666666667"],
  ["sum", [0.1, 0.2], "0.3"],
  ["sum", ["-0.50", "0.25", null, "INF"], "-0.25"],
  ["max", ["1.50", "1.5", "-2"], "1.50"],
  ["sum", [0, "0.00"], "0"],
  ["sum", [1e-7, 1], "1.0000001"],
  ["min", [1e-7, 1], 1e-7],
  ["sum", [], null],
  ["max", [null, "NaN"], null],
] as const)("%s of %j is %j", (method, values, total) => {
  expect(totalOf(values, method)).toBe(total);
});
