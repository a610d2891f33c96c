import { describe, expect, test } from "vitest";
import { hasEmptyParameterList, takesNoParameters } from "../../src/definition/operations/takes-no-parameters.ts";

const methods: Readonly<Record<string, { readonly length: number }>> = { go() {}, async wait() {} };

describe("a handler takes no parameters", () => {
  test.each<readonly [string, { readonly length: number }, boolean]>([
    ["() => 1", () => 1, true],
    ["async () => 1", async () => 1, true],
    ["function () {}", function () {}, true],
    ["function named() {}", function named() {}, true],
    ["a method", methods["go"] ?? Math.max, true],
    ["an async method", methods["wait"] ?? Math.max, true],
    ["(key) => 1", (key: unknown) => key, false],
    ["rest", (...all: unknown[]) => all, false],
    ["a default", (key = 1) => key, false],
    ["a destructured default", ({ key } = { key: 1 }) => key, false],
    ["a bound function", ((key: unknown) => key).bind(null, 1), false],
    ["a native function", Math.max, false],
  ])("%s: %#", (_title, handler, expected) => {
    expect(takesNoParameters(handler)).toBe(expected);
  });

  test.each([
    ["( /* nothing */ ) => 1", true],
    ["( // nothing ( here\n ) => 1", true],
    ["/* ( */ function /* x */ go /* y( */ (  ) { }", true],
    ["(/* all */ ...all) => 1", false],
    ["(/* not closed", false],
    ["(// not closed", false],
    ["no parenthesis", false],
  ])("%j", (text, expected) => {
    expect(hasEmptyParameterList(text)).toBe(expected);
  });
});
