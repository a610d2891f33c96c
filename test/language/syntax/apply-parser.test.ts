import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { ODataError } from "../../../src/base/errors/odata-error.ts";
import { type ApplySyntax, parseApply } from "../../../src/language/syntax/apply-parser.ts";
import { tokenizeApply } from "../../../src/language/syntax/apply-tokens.ts";
import { DEFAULT_SYNTAX_LIMITS, toSyntaxLimits } from "../../../src/language/syntax/parse-context.ts";
import { caseCount } from "../../cases.ts";
import { processorTime } from "../../processor-time.ts";
import { errorOf, parseContext } from "./parsing.ts";

const UNLIMITED = toSyntaxLimits({
  maxNodeCount: null,
  maxInListLength: null,
  maxAnyAllDepth: null,
  maxOrderByProperties: null,
  maxApplySteps: null,
});

function parse(text: string, context = parseContext()): ApplySyntax {
  return parseApply(tokenizeApply(text, context), context);
}

describe("the texts of searches", () => {
  test.each<[string, readonly string[], string]>([
    ["search(a)", ["a"], "search()"],
    ["search( don't (b OR c) )/top(1)", [" don't (b OR c) "], "search()/top(?Edm.Int32)"],
    ['filter(A eq 1)/search("a)")', ['"a)"'], "filter(A eq ?Edm.Int32)/search()"],
    ["concat(search(a),search(b))", ["a", "b"], "concat(search(),search())"],
    ["filter(A eq 'x/search(y)')", [], "filter(A eq ?Edm.String)"],
    ["filter(search eq 1)", [], "filter(search eq ?Edm.Int32)"],
    ["search (a)", ["a"], "search()"],
    ["search(a", ["a"], "search("],
  ])("%s", (text, expected, shape) => {
    const { searches, list } = tokenizeApply(text, parseContext());
    expect(searches.map(({ start, end }) => text.slice(start, end))).toEqual(expected);
    expect(list.shape).toBe(shape);
  });
});

describe("a million characters are refused after a limited number of tokens", () => {
  test.each([
    ["groupby((A),"],
    ["concat("],
    ["concat(identity,"],
    ["identity/"],
    ["filter("],
    ["filter(A eq ("],
    ["aggregate(A with sum as B)/"],
    ["aggregate(("],
    ["compute(A as B)/"],
    ["groupby((A/"],
    ["groupby((A,"],
    ["topcount(1,"],
    ["search("],
    ["search(a)/"],
    ["search(a),"],
    ["'"],
    ["'search("],
  ])("%s", (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    for (const limits of [DEFAULT_SYNTAX_LIMITS, UNLIMITED]) {
      const context = parseContext(limits === UNLIMITED ? { ...UNLIMITED, maxTokens: 100_000 } : limits);
      const started = processorTime();
      expect(errorOf(() => parse(text, context))).toMatchObject({ status: 400, target: "$apply" });
      expect(processorTime() - started).toBeLessThan(10_000);
    }
  });
});

const PIECES = [
  ..."( ) , / ' \" @p $count $it $root . 1 -1 1.5 null not".split(" "),
  " ",
  ..."identity filter search orderby top skip topcount bottomcount compute aggregate groupby concat rollup".split(" "),
  ..."with as sum min average countdistinct from A A/B eq and asc desc A.B any(x:x/C)".split(" "),
  "groupby((",
  "aggregate(A with sum as T)",
  "filter(A gt 1)",
  "groupby((A),top(1))",
];

test("any sequence of words is parsed, or refused with a position within the text", () => {
  const words = array(constantFrom(...PIECES), { maxLength: 30 });
  let parsed = 0;
  assert(
    property(words, constantFrom("", " "), (pieces, blank) => {
      const text = pieces.join(blank);
      try {
        parse(text);
        parsed += 1;
      } catch (error) {
        if (!(error instanceof ODataError)) throw error;
        const position = Number(/ at position (?<position>\d+): /u.exec(error.message)?.groups?.["position"]);
        expect([error.status, error.target]).toEqual([400, "$apply"]);
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: caseCount(20_000) },
  );
  expect(parsed).toBeGreaterThan(0);
});

test("blanks may stand around parentheses, commas and slashes", () => {
  const dense = "filter(A gt 1)/groupby((A,B/C),aggregate(A with sum as T,$count as N))/concat(top(1),skip(2))";
  const wide = dense.replaceAll(/[(),/]/gu, " $& ").replaceAll("B / C", "B/C");
  const kinds = ({ steps }: ApplySyntax): readonly string[] => steps.map(({ kind }) => kind);
  expect(kinds(parse(wide))).toEqual(["filter", "groupby", "concat"]);
  expect(tokenizeApply(wide, parseContext()).list.shape).toBe(tokenizeApply(dense, parseContext()).list.shape);
});

test("literals and blanks do not change the shape, steps and names do", () => {
  const shapeOf = (text: string): string => tokenizeApply(text, parseContext()).list.shape;
  expect(shapeOf("filter(A  gt 1)/top( 2 )")).toBe(shapeOf("filter(A gt 7)/top(9)"));
  expect(shapeOf("filter(A gt 1)/top(2)")).not.toBe(shapeOf("filter(A gt 1)/skip(2)"));
  expect(shapeOf("aggregate(A with sum as B)")).not.toBe(shapeOf("aggregate(A with sum as C)"));
});

describe("fixed limits", () => {
  const aggregates = (count: number): string =>
    `aggregate(${Array.from({ length: count }, (_each, index) => `$count as N${String(index)}`).join(",")})`;
  const nested = (depth: number): string => `${"groupby((A),".repeat(depth)}identity${")".repeat(depth)}`;
  const steps = (count: number): string => Array.from({ length: count }, () => "identity").join("/");

  test.each<[string, string, string]>([
    [aggregates(20), aggregates(21), "aggregate takes at most 20 values: remove the last ones."],
    [nested(5), nested(6), "steps nest deeper than 5 levels: use fewer of groupby and concat in one another."],
    [`compute(A as ${"a".repeat(128)})`, `compute(A as ${"a".repeat(129)})`, "cannot be an alias"],
    [steps(20), steps(21), "there are more than 20 steps: send several requests."],
  ])("%s is accepted, %s is not", (accepted, refused, message) => {
    expect(parse(accepted).steps.length).toBeGreaterThan(0);
    expect(errorOf(() => parse(refused)).message).toContain(message);
  });

  test("without a setting there are at most 100 steps", () => {
    expect(parse(steps(100), parseContext(UNLIMITED)).steps).toHaveLength(100);
    expect(errorOf(() => parse(steps(101), parseContext(UNLIMITED))).message).toContain("more than 100 steps");
  });
});
