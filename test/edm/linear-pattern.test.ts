import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { PatternError, toPattern } from "../../src/edm/linear-pattern.ts";

const SYNTAX = "Write a regular expression of JavaScript without flags, look-around and backreferences.";

test.each<[string | RegExp, readonly string[], readonly string[]]>([
  ["^[A-Z]{2}$", ["AB"], ["ABC", "AB\n", "ab", ""]],
  [/b/, ["abc"], ["ac"]],
  [/^a\/b$/, ["a/b"], ["ab"]],
  [String.raw`^\u00e9\u{1F600}$`, ["é😀"], ["e"]],
  ["^.$", ["😀", "a"], ["ab", ""]],
  [String.raw`^\p{Lu}`, ["Éze"], ["éze"]],
  [String.raw`^(?<year>\d{4})-[^]$`, ["2026-\n"], ["٢٠٢٦-x"]],
  [/^ü$/u, ["ü"], ["u"]],
  ["^.$", ["\u0085", "\v"], ["\n", "\r", "\u2028", "\u2029"]],
  [String.raw`^[.]\.\\.$`, [String.raw`..\a`], [String.raw`a.\a`, ".a\\a", "..\\\n"]],
  ["^(?:.|[^.])+$", ["a\n."], [""]],
  [String.raw`^[\].]$`, ["]", "."], ["a"]],
  ["^[^].$", ["\na"], ["\n\n"]],
  [String.raw`^\s$`, ["\u00A0", "\v", "\uFEFF", "\u2028", " "], ["a", "\u0085", "\u200B"]],
  [String.raw`^\S$`, ["a", "\u0085"], ["\u00A0", "\v", "\uFEFF"]],
  [String.raw`^[\s_-]+$`, ["_\u00A0-\u3000"], ["a"]],
  [String.raw`^[^\s_]$`, ["a"], ["_", "\u00A0"]],
  [String.raw`^[\S ]$`, ["a", " "], ["\u00A0", "\t"]],
  [String.raw`^\ud83d\ude00[\uD83D\uDE00-\uD83D\uDE02]$`, ["😀😁"], ["😀😃", "😀"]],
  [/^\u2028\x41\cJ\0\v$/, ["\u2028A\n\0\v"], [""]],
])("%s matches as in JavaScript", (pattern, matching, others) => {
  const { source, matches } = toPattern(pattern);
  expect(source).toBe(typeof pattern === "string" ? pattern : pattern.source);
  for (const text of matching) expect([text, matches(text)]).toEqual([text, true]);
  for (const text of others) expect([text, matches(text)]).toEqual([text, false]);
});

test("a compiled pattern matches as in JavaScript, too", () => {
  const { source, matches } = toPattern(RE2JS.compile(String.raw`^.\s$`));
  expect([source, matches("a\u00A0"), matches("\r ")]).toEqual([String.raw`^.\s$`, true, false]);
});

const CODE_POINT = String.raw`Write the whole character, such as \u{1F600}.`;
const CATEGORY = String.raw`Use the short name of a category or the name of a binary property, such as \p{Lu} and \p{Alphabetic}.`;
const REPEAT = "Repeat at most 1,000 times; nested repetitions are multiplied.";

test.each([
  [String.raw`\ud83d`, String.raw`contains \ud83d, which is half of a character`, CODE_POINT],
  [String.raw`[\uDE00]`, String.raw`contains \uDE00, which is half of a character`, CODE_POINT],
  [String.raw`\u{D83D}`, String.raw`contains \u{D83D}, which is half of a character`, CODE_POINT],
  [String.raw`\u{00D83D}\u{DE00}`, String.raw`contains \u{00D83D}, which is half of a character`, CODE_POINT],
  ["a\uD83Db", String.raw`contains \ud83d, which is half of a character`, CODE_POINT],
  ["x{1001}", "does not compile: error parsing regexp: invalid repeat count: `{1001}`", REPEAT],
  ["(?:x{30}){40}", "does not compile: error parsing regexp: invalid repeat count: `{40}`", REPEAT],
  [
    String.raw`\p{Script=Greek}`,
    "does not compile: error parsing regexp: invalid character class range: `\\p{Script=Greek}`",
    CATEGORY,
  ],
  [
    String.raw`\p{Letter}`,
    "does not compile: error parsing regexp: invalid character class range: `\\p{Letter}`",
    CATEGORY,
  ],
  [String.raw`[\b]`, "does not compile: error parsing regexp: invalid escape sequence: `\\b`", SYNTAX],
])("refuses %s", (pattern, message, fix) => {
  const refuse = (): unknown => toPattern(pattern);
  expect(refuse).toThrow(expect.objectContaining({ name: "PatternError", message, fix }));
});

test.each(["(?s:.)a", "(?m:^a)", "(?-i:a)", "(?i-s:a)"])("refuses the flags in %s, whatever the runtime", (pattern) => {
  expect(() => toPattern(pattern)).toThrow(PatternError);
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
