import { expect, test } from "vitest";
import { attempt } from "../../src/base/maybe.ts";

function throwing(error: Error): () => never {
  return () => {
    throw error;
  };
}

test("returns the result, or an error of the expected class", () => {
  const expected = new RangeError("too large");
  expect(attempt(() => 5, RangeError)).toBe(5);
  expect(attempt(throwing(expected), RangeError)).toBe(expected);
});

test("passes other errors through", () => {
  const other = new TypeError("no function");
  expect(() => attempt(throwing(other), RangeError)).toThrow(other);
});
