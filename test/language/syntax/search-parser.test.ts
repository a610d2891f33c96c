import { describe, expect, test } from "vitest";
import type { SearchSyntax } from "../../../src/language/syntax/ast.ts";
import { parseSearch } from "../../../src/language/syntax/search-parser.ts";
import { errorOf, parseContext } from "./parsing.ts";

/** Prints a tree in prefix form: `(and a (not "b c"))`. */
function show(node: SearchSyntax): string {
  switch (node.kind) {
    case "word":
      return node.text;
    case "phrase":
      return JSON.stringify(node.text);
    case "not":
      return `(not ${show(node.operand)})`;
    default:
      return `(${node.kind} ${node.operands.map(show).join(" ")})`;
  }
}

describe("parseSearch", () => {
  test.each([
    ["blue", "blue"],
    ["  blue\t", "blue"],
    ['"blue green"', '"blue green"'],
    ["blue green", "(and blue green)"],
    ["blue\r\ngreen", "(and blue green)"],
    ["blue AND green", "(and blue green)"],
    ["a b AND c d", "(and a b c d)"],
    ["a OR b OR c", "(or a b c)"],
    ["a AND b OR c AND d", "(or (and a b) (and c d))"],
    ["a OR b c", "(or a (and b c))"],
    ["NOT a b", "(and (not a) b)"],
    ["a NOT b", "(and a (not b))"],
    ["a AND NOT b", "(and a (not b))"],
    ["NOT (a OR b)", "(not (or a b))"],
    ["NOT(a)", "(not a)"],
    ["a AND(b OR c)", "(and a (or b c))"],
    ["a OR(b)", "(or a b)"],
    ["((a))", "a"],
    ["( a ) b", "(and a b)"],
    ["(a AND b) AND c", "(and (and a b) c)"],
    ["not and or", "(and not and or)"],
    ["Not ANDY ORT", "(and Not ANDY ORT)"],
    ['"AND" NOT "OR"', '(and "AND" (not "OR"))'],
    ['"a \\"b\\" \\\\c"', '"a \\"b\\" \\\\c"'],
    [
      "O'Neil a;b more&more #1 3.14 brand-new 08/15 ä\u{1f600}",
      "(and O'Neil a;b more&more #1 3.14 brand-new 08/15 ä\u{1f600})",
    ],
  ])("%s", (text, tree) => {
    expect(show(parseSearch(text, parseContext()))).toBe(tree);
  });

  test("nodes have positions", () => {
    expect(parseSearch('a NOT "b" OR c', parseContext())).toEqual({
      kind: "or",
      position: 0,
      operands: [
        {
          kind: "and",
          position: 0,
          operands: [
            { kind: "word", text: "a", position: 0 },
            { kind: "not", position: 2, operand: { kind: "phrase", text: "b", position: 6 } },
          ],
        },
        { kind: "word", text: "c", position: 13 },
      ],
    });
  });

  test.each([
    ["", 0, "is missing"],
    ["   ", 3, "is missing"],
    ["OR", 0, "OR is an operator and is not allowed here"],
    ["a AND", 5, "is missing"],
    ["a AND OR b", 6, "OR is an operator"],
    ["a OR AND", 5, "AND is an operator"],
    ["NOT", 3, "is missing"],
    ["NOT NOT", 4, "NOT is an operator"],
    ["NOT NOT a", 4, "NOT is an operator"],
    ["()", 1, "is missing"],
    ["(a", 2, "the parenthesis opened at position 0 is not closed"],
    ["a)", 1, "has no opening parenthesis"],
    ["a ) b", 2, "has no opening parenthesis"],
    ["gr(een)", 2, "put a blank between two terms"],
    ["(a)b", 3, "put a blank between"],
    ["(a)OR b", 3, "put a blank between"],
    ['a"b"', 1, "put a blank between"],
    ['"blue', 0, "no closing double quote"],
    ['a "', 2, "no closing double quote"],
    ['""', 0, "at least one character"],
    ['"a\\b"', 2, "a backslash is written"],
    ['"a\\', 2, "a backslash is written"],
    ["'blue green'", 0, "write a phrase in double quotes"],
  ])("%s is refused", (text, position, message) => {
    const error = errorOf(() => parseSearch(text, parseContext()));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$search" });
    expect(error.message).toContain(`$search at position ${position}:`);
    expect(error.message).toContain(message);
  });

  test("a search in another option keeps the positions and the target", () => {
    const stretch = { start: 4, end: 7, option: "$expand" };
    expect(parseSearch("xxx(a b)", parseContext(), stretch)).toMatchObject({
      operands: [{ position: 4 }, { position: 6 }],
    });
    expect(errorOf(() => parseSearch("xxx(a()b", parseContext(), { ...stretch, end: 6 }))).toMatchObject({
      target: "$expand",
    });
  });

  test.each([
    ["(".repeat(1_000_000), "nests deeper than 100 levels", 200],
    ["NOT (".repeat(200_000), "nests deeper than 100 levels", 300],
    ["NOT ".repeat(250_000), "NOT is an operator", 5],
    ["a ".repeat(500_000), "more than 1000 parts", 1100],
    ["a OR ".repeat(200_000), "more than 1000 parts", 2100],
  ])("a million characters cost little: %#", (text, message, tokens) => {
    const context = parseContext();
    expect(errorOf(() => parseSearch(text, context)).message).toContain(message);
    expect(context.counters.tokens).toBeLessThan(tokens);
  });

  test("the tokens of a request are bounded", () => {
    expect(errorOf(() => parseSearch("a b c d", parseContext({ maxTokens: 3 }))).message).toContain(
      "more than 3 tokens",
    );
  });
});
