// Statements: docs/reference/validation.md#patterns
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { PatternError, toPattern } from "../../src/edm/linear-pattern.ts";

test.each<[string | RegExp, readonly string[], readonly string[]]>([
  ["^[A-Z]{2}$", ["AB"], ["ABC", "AB\n", "ab", ""]],
  [/b/, ["abc"], ["ac"]],
  [/^a\/b$/, ["a/b"], ["ab"]],
  [String.raw`^\u00e9\u{1F600}$`, ["é😀"], ["e"]],
  ["^.$", ["😀", "a"], ["ab", ""]],
  [String.raw`^\p{Lu}`, ["Éze"], ["éze"]],
  [String.raw`^(?<year>\d{4})-[^]$`, ["2026-\n"], ["٢٠٢٦-x"]],
  [/^ü$/u, ["ü"], ["u"]],
])("%s matches as in JavaScript", (pattern, matching, others) => {
  const { source, matches } = toPattern(pattern);
  expect(source).toBe(typeof pattern === "string" ? pattern : pattern.source);
  for (const text of matching) expect([text, matches(text)]).toEqual([text, true]);
  for (const text of others) expect([text, matches(text)]).toEqual([text, false]);
});

describe("runtimes that load no packages", () => {
  const hosts = [
    {},
    { process: { getBuiltinModule: () => undefined } },
    { process: { getBuiltinModule: () => ({}) } },
    { process: { getBuiltinModule: () => ({ createRequire: () => () => ({ RE2JS: {} }) }) } },
  ];

  test.each(hosts)("refuse a text %#", (host) => {
    expect(() => toPattern("^a$", host)).toThrow(
      new PatternError(
        "needs the package `re2js`, which cannot be loaded",
        "Install the optional package: npm install re2js. Where packages cannot be loaded at run time, give RE2JS.compile(…) in place of the text.",
      ),
    );
  });

  test.each(hosts)("take a compiled pattern %#", (host) => {
    const { source, matches } = toPattern(RE2JS.compile("^a$"), host);
    expect([source, matches("a"), matches("ab")]).toEqual(["^a$", true, false]);
  });
});
