import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/definition/startup/resolve-settings.ts";
import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import {
  type SyntaxLimits,
  DEFAULT_SYNTAX_LIMITS,
  toSyntaxLimits,
} from "../../../src/language/syntax/parse-context.ts";
import { processorTime } from "../../processor-time.ts";
import { errorOf, parseContext } from "./parsing.ts";
import { print } from "./print.ts";

const UNLIMITED = toSyntaxLimits({
  maxNodeCount: null,
  maxInListLength: null,
  maxAnyAllDepth: null,
  maxOrderByProperties: null,
  maxApplySteps: null,
});

function parseWith(limits: Partial<SyntaxLimits>, text: string, aliases: Readonly<Record<string, string>> = {}) {
  const context = parseContext(limits, aliases);
  const parse = () => parseExpression(tokenize(text, context, "$filter"), context);
  return { context, parse };
}

/** A text of about a million characters. */
function million(piece: string): string {
  return piece.repeat(Math.ceil(1_000_000 / piece.length));
}

function chain(operand: string, operator: string, length: number): string {
  return Array.from({ length }, () => operand).join(` ${operator} `);
}

test("the default limits of parsers are those of a service without settings", () => {
  expect(DEFAULT_SYNTAX_LIMITS).toEqual(toSyntaxLimits(DEFAULT_LIMITS));
});

describe("toSyntaxLimits", () => {
  test("the defaults", () => {
    expect(DEFAULT_SYNTAX_LIMITS).toEqual({
      maxTokens: 48_000,
      maxNodeCount: 1000,
      maxInListLength: 1000,
      maxAnyAllDepth: 3,
      maxOrderByProperties: 10,
      maxApplySteps: 20,
      maxDepth: 100,
    });
    expect(Object.isFrozen(DEFAULT_SYNTAX_LIMITS)).toBe(true);
  });

  test("null disables a limit, except for those on depth and steps", () => {
    expect(UNLIMITED).toEqual({
      maxTokens: Infinity,
      maxNodeCount: Infinity,
      maxInListLength: Infinity,
      maxAnyAllDepth: Infinity,
      maxOrderByProperties: Infinity,
      maxApplySteps: 100,
      maxDepth: 100,
    });
    expect(toSyntaxLimits({ ...UNLIMITED, maxNodeCount: 5, maxInListLength: null }).maxTokens).toBe(Infinity);
  });
});

describe("a million characters of nesting are refused after a limited number of tokens", () => {
  test.each([
    ["("],
    ["-"],
    ["- "],
    ["not "],
    ["not("],
    ["(-"],
    ["contains("],
    ["contains(A,"],
    ["cast(cast("],
    ["Ns.F(p="],
    ["A/Ns.F(p="],
    ["A/any(x:"],
    ["A/all(x:x/B and "],
    ["["],
    ["{"],
    ['{"a":'],
    ["A in ("],
    ["Items(Id="],
    ["1 add ("],
    ["A eq (B or "],
    [")"],
    ["())"],
  ])("%s", (piece) => {
    for (const limits of [DEFAULT_SYNTAX_LIMITS, UNLIMITED]) {
      const { context, parse } = parseWith(limits, million(piece));
      const started = processorTime();
      expect(errorOf(parse)).toMatchObject({ status: 400, code: "InvalidQueryOption" });
      expect(processorTime() - started).toBeLessThan(10_000);
      expect(context.counters.tokens).toBeLessThan(2000);
    }
  });
});

describe("a million characters are refused after the maximum number of tokens", () => {
  test.each([
    ["1 add "],
    ["A eq "],
    ["A/"],
    ["A or "],
    ["A,"],
    [","],
    ["a "],
    ["@p "],
    ["'' "],
    ["A in (1,2) or "],
    ["(A) or "],
    ["1:2"],
    ["$it/"],
  ])("%s", (piece) => {
    const { context, parse } = parseWith({}, million(piece));
    const started = processorTime();
    expect(errorOf(parse)).toMatchObject({ status: 400, code: "InvalidQueryOption" });
    expect(processorTime() - started).toBeLessThan(10_000);
    expect(context.counters.tokens).toBeLessThanOrEqual(DEFAULT_SYNTAX_LIMITS.maxTokens + 1);
  });

  test.each([
    ["A in [", "1,"],
    ["A in [", '"a",'],
    ["A in (", "'x',"],
    ["A eq ", " "],
    ["A eq '", "''"],
    ["A eq ", "9"],
    ["A eq 1.", "0"],
    ["A eq ", "a.b"],
    ["", "a"],
    ["", "\u00e4"],
    ["A eq {", "ab"],
    ["A eq {", "'"],
    ["A eq [", "a1"],
    ["A eq [", "1a"],
    ["A eq {", '"\\\\'],
    ["A eq 2012-01-01T", "0"],
    ["A eq 01234567-", "-"],
  ])("%s and then %s", (start, piece) => {
    const { parse } = parseWith({}, start + million(piece));
    const started = processorTime();
    try {
      parse();
    } catch (error) {
      expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption" });
    }
    expect(processorTime() - started).toBeLessThan(10_000);
  });
});

describe("aliases", () => {
  test("a chain of doubling aliases is refused after limited work", () => {
    const aliases: Record<string, string> = { "@a40": "1" };
    for (let level = 0; level < 40; level += 1) aliases[`@a${level}`] = `@a${level + 1} add @a${level + 1}`;
    for (const limits of [DEFAULT_SYNTAX_LIMITS, UNLIMITED]) {
      const { context, parse } = parseWith(limits, "A eq @a0", aliases);
      expect(errorOf(parse)).toMatchObject({ status: 400, code: "InvalidQueryOption" });
      expect(context.counters.tokens).toBeLessThan(600_000);
    }
  });

  test("a long chain of aliases nests too deeply", () => {
    const aliases: Record<string, string> = { "@a200": "1" };
    for (let level = 0; level < 200; level += 1) aliases[`@a${level}`] = `@a${level + 1}`;
    const error = errorOf(parseWith({}, "A eq @a0", aliases).parse);
    expect(error.message).toContain("nested deeper than 100 levels");
    expect(print(parseWith({}, "A eq @a110", aliases).parse())).toBe("A eq 1");
  });

  test("nesting includes aliases", () => {
    const aliases = { "@p": "(".repeat(60) + "@q" + ")".repeat(60), "@q": "(".repeat(60) + "1" + ")".repeat(60) };
    expect(errorOf(parseWith({}, "A eq @p", aliases).parse).message).toContain("nested deeper than 100 levels");
  });

  test("refuses a long value that is used often", () => {
    const { parse } = parseWith(UNLIMITED, chain("@p", "or", 2000), { "@p": `A${" ".repeat(1000)}` });
    expect(errorOf(parse).message).toContain("expand to more than 1048576 characters");
  });
});

describe("limits of an expression", () => {
  const levels = (count: number, open: string, close: string) => `${open.repeat(count)}A${close.repeat(count)}`;

  test.each([
    ["parentheses", levels(100, "(", ")"), levels(101, "(", ")")],
    ["not", levels(99, "not ", ""), levels(100, "not ", "")],
    ["minus", levels(99, "-", ""), levels(100, "-", "")],
    ["calls", levels(99, "trim(", ")"), levels(100, "trim(", ")")],
    ["a chain of add", chain("1", "add", 100), chain("1", "add", 101)],
    ["a chain of eq", chain("A", "eq", 100), chain("A", "eq", 101)],
    ["a path", chain("A", "/", 100).replaceAll(" ", ""), chain("A", "/", 101).replaceAll(" ", "")],
    ["or", chain("A", "or", 999), chain("A", "or", 1000)],
    ["an in list", `A in (${chain("1", ",", 1000)})`, `A in (${chain("1", ",", 1001)})`],
    ["a JSON list", `Ns.F(p=[${chain("1", ",", 1000)}])`, `Ns.F(p=[${chain("1", ",", 1001)}])`],
    ["lambda operators", "A/any(x:x/B/any(y:y/C/all(z:z)))", "A/any(x:x/B/any(y:y/C/all(z:z/D/any(w:w))))"],
  ])("%s", (_, allowed, refused) => {
    const tree = parseWith({}, allowed).parse();
    expect(heightOf(tree)).toBeLessThanOrEqual(100);
    expect(errorOf(parseWith({}, refused).parse)).toMatchObject({ status: 400, code: "InvalidQueryOption" });
  });

  test("the height includes nesting and chains", () => {
    const text = `${"(".repeat(50)}A${" add 1 add 1)".repeat(50)}`;
    expect(errorOf(parseWith(UNLIMITED, text).parse).message).toContain("chains or nests more than 100 operations");
  });

  test("parentheses and items of lists do not count as nodes", () => {
    const { context, parse } = parseWith({}, `((A)) in (${chain("1", ",", 1000)})`);
    parse();
    expect(context.counters.nodes).toBe(3);
  });

  test("chains of or are flat at any length, also in parentheses", () => {
    const tree = parseWith(UNLIMITED, chain("A eq 1", "or", 50_000)).parse();
    expect(heightOf(tree)).toBe(3);
    const nested = parseWith(UNLIMITED, `${"(".repeat(90)}A${" or B)".repeat(90)}`).parse();
    expect(heightOf(nested)).toBe(2);
  });

  test("without limits a list may be long", () => {
    const tree = parseWith(UNLIMITED, `A in (${chain("1", ",", 50_000)})`).parse();
    expect(tree.kind === "in" && tree.list.kind === "list" && tree.list.items.length).toBe(50_000);
  });

  test("the token limit is counted over all texts of a request", () => {
    const context = parseContext({ maxTokens: 5 });
    tokenize("A eq 1", context, "$filter");
    expect(errorOf(() => tokenize("B desc,C", context, "$orderby"))).toMatchObject({ target: "$orderby" });
  });
});

function heightOf(node: SyntaxNode | null): number {
  if (node === null) return 0;
  const children: Array<SyntaxNode | null> = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) children.push(...value.map((item) => item.value ?? item));
    else if (typeof value === "object" && value !== null && "kind" in value) children.push(value as SyntaxNode);
  }
  return 1 + children.reduce((height, child) => Math.max(height, heightOf(child)), 0);
}
