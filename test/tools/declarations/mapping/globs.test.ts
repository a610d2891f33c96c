import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatcher, unmatchedGlobs } from "../../../../src/tools/declarations/mapping/select-objects.ts";

test.each([
  ["orders", "sales", "orders", true],
  ["ORDERS", "sales", "Orders", true],
  ["sales.orders", "sales", "orders", true],
  ["sales.*", "sales", "orders", true],
  ["*_log", "x", "audit_log", true],
  ["*_log", "x", "audit_logs", false],
  ["a?c", "x", "abc", true],
  ["a?c", "x", "ac", false],
  ["*a*b*", "x", "1a2b3", true],
  ["*a*b", "x", "ab1", false],
  ["a.c", "x", "abc", false],
  ["", "x", "abc", false],
  ["*", "x", "", true],
  ["(a|b)[c]", "x", "(a|b)[c]", true],
])("%s matches %s.%s: %s", (glob, schema, name, expected) => {
  expect(globMatcher([glob])({ schema, name })).toBe(expected);
});

test("a text matches itself, and with any part replaced by *", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), (name, one, other) => {
      const [from, to] = [one % (name.length + 1), other % (name.length + 1)].toSorted((a, b) => a - b) as [
        number,
        number,
      ];
      const glob = `${name.slice(0, from)}*${name.slice(to)}`;
      expect(globMatcher([name.replaceAll(/[*?]/g, "?")])({ schema: "", name })).toBe(true);
      expect(globMatcher([glob])({ schema: "", name })).toBe(true);
    }),
  );
});

test("globs without a match are reported", () => {
  expect(unmatchedGlobs(["a*", "b"], [{ schema: "x", name: "abc" }])).toEqual(["b"]);
});
