import { describe, expect, test } from "vitest";
import { PRIMITIVE_TYPES } from "../../../src/edm/primitive-type.ts";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import type { Expression } from "../../../src/language/query/expression.ts";
import { bindOne, evaluate, propertyOf } from "./model.ts";

const entity = {
  id: 7,
  name: "Chai",
  big: 9_007_199_254_740_993n,
  small: -3,
  number: 2.5,
  single: 1.1,
  price: "1.10",
  flag: true,
  uuid: "0B0B0B0B-0000-4000-8000-00000000000A",
  bytes: new Uint8Array([1, 2, 255]),
  day: "2024-02-29",
  time: "10:00:00.50",
  at: "2024-02-29T12:00:00+02:00",
  span: "PT36H",
  color: "Red, Blue",
  level: "Lowest",
  address: { city: "Köln", geo: { latitude: 50.9 }, lines: ["a", "b"] },
  tags: ["x", "y", "z"],
};

/** The results of a comparison, by the order of the two values. */
const VERDICTS = {
  less: { eq: false, ne: true, gt: false, ge: false, lt: true, le: true },
  equal: { eq: true, ne: false, gt: false, ge: true, lt: false, le: true },
  greater: { eq: false, ne: true, gt: true, ge: true, lt: false, le: false },
  unordered: { eq: false, ne: true, gt: false, ge: false, lt: false, le: false },
  bothNull: { eq: true, ne: false, gt: false, ge: false, lt: false, le: false },
} as const;

const COMPARISONS: readonly (readonly [string, keyof typeof VERDICTS, string])[] = [
  ["Id", "less", "8"],
  ["Id", "equal", "7"],
  ["Id", "greater", "6.5"],
  ["Id", "less", "5000000000"],
  ["Small", "less", "-2"],
  ["Big", "greater", "9007199254740992"],
  ["Big", "equal", "9007199254740993"],
  ["Number", "equal", "2.5"],
  ["Number", "less", "INF"],
  ["Number", "greater", "-INF"],
  ["Number", "unordered", "NaN"],
  ["Single", "equal", "1.1"],
  ["Price", "equal", "1.1"],
  ["Price", "equal", "1.1000000000000000000"],
  ["Price", "less", "1.1000000000000000001"],
  ["Price", "greater", "1"],
  ["Price", "greater", "-20.5"],
  ["Flag", "equal", "true"],
  ["Flag", "greater", "false"],
  ["Name", "equal", "'Chai'"],
  ["Name", "less", "'chai'"],
  ["Name", "greater", "'Cha'"],
  ["Name", "less", "'Chang'"],
  ["Uuid", "equal", "0b0b0b0b-0000-4000-8000-00000000000a"],
  ["Uuid", "less", "0b0b0b0b-0000-4000-8000-00000000000b"],
  ["Bytes", "equal", "binary'AQL_'"],
  ["Bytes", "greater", "binary'AQL-'"],
  ["Day", "equal", "2024-02-29"],
  ["Day", "less", "2024-03-01"],
  ["Day", "greater", "-0044-03-15"],
  ["Day", "less", "12024-01-01"],
  ["Day", "less", "2024-02-29T00:00:01Z"],
  ["Time", "equal", "10:00:00.5"],
  ["Time", "greater", "10:00:00"],
  ["At", "equal", "2024-02-29T10:00:00Z"],
  ["At", "equal", "2024-02-29T10:00:00.000Z"],
  ["At", "less", "2024-02-29T10:00:00.000000000001Z"],
  ["At", "greater", "2024-02-29T12:59:59+03:00"],
  ["Span", "equal", "duration'P1DT12H'"],
  ["Span", "less", "duration'P1DT12H0.001S'"],
  ["Color", "equal", "Test.Color'Blue,Red'"],
  ["Color", "less", "Test.Color'White'"],
  ["Level", "equal", "Test.Level'Low'"],
  ["Level", "greater", "'High'"],
  ["Address/City", "equal", "'Köln'"],
  ["Address/Geo/Latitude", "greater", "50"],
  ["Tags/$count", "equal", "3"],
  ["Address/Lines/$count", "less", "3"],
  ["Price", "less", "Number"],
  ["Id", "greater", "Small"],
  ["Name", "equal", "Name"],
  ["null", "bothNull", "null"],
  ["Tiny", "bothNull", "null"],
  ["Tiny", "unordered", "5"],
  ["Cost", "unordered", "5"],
  ["Until", "unordered", "2024-01-01T00:00:00Z"],
  ["Cost", "bothNull", "Cost"],
  ["Name", "unordered", "null"],
  ["Address", "unordered", "null"],
  ["Address/Geo", "unordered", "null"],
];

const MIRRORED = {
  less: "greater",
  greater: "less",
  equal: "equal",
  unordered: "unordered",
  bothNull: "bothNull",
} as const;

describe("comparison", () => {
  describe.each(COMPARISONS)("%s is %s: %s", (left, order, right) => {
    const operators =
      left.startsWith("Address") && !left.includes("/C") && right === "null"
        ? ["eq", "ne"]
        : Object.keys(VERDICTS.less);
    test.each(operators as (keyof typeof VERDICTS.less)[])("%s", (operator) => {
      expect(evaluate(`${left} ${operator} ${right}`, entity)).toBe(VERDICTS[order][operator]);
      expect(evaluate(`${right} ${operator} ${left}`, entity)).toBe(VERDICTS[MIRRORED[order]][operator]);
    });
  });

  test("a complex value that is null, or has null on its path, equals null", () => {
    expect(evaluate("Address eq null", { address: undefined })).toBe(true);
    expect(evaluate("Address/Geo eq null", { address: null })).toBe(true);
    expect(evaluate("Address/Geo/Latitude ne null", { address: {} })).toBe(false);
    expect(evaluate("Address/Geo/Latitude ne 5", { address: null })).toBe(true);
  });

  test("NaN equals nothing, not even itself", () => {
    expect(evaluate("Number eq Number", { number: Number.NaN })).toBe(false);
    expect(evaluate("Number ne Number", { number: Number.NaN })).toBe(true);
    expect(evaluate("Number ge Number", { number: Number.NaN })).toBe(false);
  });

  test("strings are ordered by code point", () => {
    expect(evaluate("Name gt '\uFF5E'", { name: "\u{1F600}" })).toBe(true);
    expect(evaluate("Name lt '\u{1F600}'", { name: "\uE000" })).toBe(true);
    expect(evaluate("Name lt '\u{1F600}a'", { name: "\u{1F600}" })).toBe(true);
  });
});

describe("three-valued logic", () => {
  // Flag is null; `contains(Name,…)` of a null Name is null, too.
  const facts: Readonly<Record<string, boolean | null>> = { "Id eq 1": true, "Id eq 2": false, Flag: null };
  /** The operand that decides alone, then null, then the other. */
  const combine = (values: readonly (boolean | null)[], decisive: boolean): boolean | null => {
    if (values.includes(decisive)) return decisive;
    return values.includes(null) ? null : !decisive;
  };
  const names = Object.keys(facts);
  const pairs = names.flatMap((first) => names.map((second) => [first, second]));
  const triples = pairs.flatMap((pair) => names.map((third) => [...pair, third]));

  test.each([...pairs, ...triples])("%s, %s, %s", (...operands) => {
    const given = operands.filter((operand) => operand !== undefined);
    const values = given.map((operand) => facts[operand] ?? null);
    expect(evaluate(given.join(" and "), { id: 1 })).toBe(combine(values, false));
    expect(evaluate(given.join(" or "), { id: 1 })).toBe(combine(values, true));
  });

  test.each(Object.entries(facts))("not %s", (text, value) => {
    expect(evaluate(`not (${text})`, { id: 1 })).toBe(value === null ? null : !value);
  });

  test("a predicate has three values", () => {
    const [expression, values] = bindOne("Flag");
    const predicate = compileExpression(expression, "spec-compliant");
    expect([{ flag: true }, { flag: false }, {}].map((row) => predicate(row, new Evaluation(values)))).toEqual([
      true,
      false,
      null,
    ]);
  });

  test("null equals a comparison of null operands to nothing but null", () => {
    expect(evaluate("contains(Name,'x') eq true", {})).toBe(false);
    expect(evaluate("contains(Name,'x') eq null", {})).toBe(true);
  });
});

describe("in", () => {
  test.each([
    ["Id in (1,2,7)", true],
    ["Id in (1,2)", false],
    ["Id in (6.5,7.0)", true],
    ["Name in ('Chang','Chai')", true],
    ["Name in ('chai')", false],
    ["Price in (1,1.1)", true],
    ["Price in (0.5,1,2,3)", false],
    ["At in (2024-02-29T10:00:00Z)", true],
    ["Time in (09:00:00,10:00:00.500)", true],
    ["Day in (2024-02-29)", true],
    ["Bytes in (binary'AQL-',binary'AQL_')", true],
    ["Color in ('Blue,Red')", true],
    ["Number in (NaN,2.5)", true],
    ["Tiny in (1,2)", false],
    ["Tiny in (1,null)", true],
    ["Tiny in (null)", true],
    ["Id in (null)", false],
    ["null in (1,null)", true],
    ["null in (1,2)", false],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, entity)).toBe(expected);
  });

  // The grammar takes literals only, but a bound list may hold any expression.
  test.each([
    ["Small", ["Id", "Small"], true],
    ["Price", ["Cost", "Price"], true],
    ["Price", ["Cost"], false],
    ["Tiny", ["Id"], false],
    ["Tiny", ["Id", "Cost"], true],
    ["Tiny", ["Id", null], true],
    ["Small", ["Id", null], false],
    [null, ["Id"], false],
    [null, ["Id", "Cost"], true],
    [null, [null], true],
  ])("%s in %j is %s", (operand, items, expected) => {
    const expressions = [operand, ...items].map((name): Expression => {
      return name === null ? { kind: "null", type: null } : propertyOf(name);
    });
    const [first, ...rest] = expressions;
    if (first === undefined) throw new Error("There is an operand.");
    const within: Expression = { kind: "in", operand: first, items: rest, type: PRIMITIVE_TYPES["Edm.Boolean"] };
    expect(compileExpression(within, "spec-compliant")(entity, new Evaluation([]))).toBe(expected);
  });

  test("NaN is in no list", () => {
    expect(evaluate("Number in (NaN,1)", { number: Number.NaN })).toBe(false);
  });

  test("a list is prepared again for other values", () => {
    const [expression] = bindOne("Id in (1,2)");
    const predicate = compileExpression(expression, "spec-compliant");
    const first = new Evaluation([1, 2]);
    const second = new Evaluation([3, 4]);
    expect([1, 3].map((id) => predicate({ id }, first))).toEqual([true, false]);
    expect([1, 3].map((id) => predicate({ id }, second))).toEqual([false, true]);
    expect([1, 3].map((id) => predicate({ id }, first))).toEqual([true, false]);
  });
});

describe("has", () => {
  test.each([
    ["Color has Test.Color'Red'", "Red, Blue", true],
    ["Color has 'Green'", "Red,Blue", false],
    ["Color has 'Red,Blue'", "White", true],
    ["Color has 'White'", "Red,Green,Blue", true],
    ["Color has 'None'", "Red", true],
    ["Color has 'Red'", null, null],
    ["Color has null", "Red", null],
  ])("%s of %s is %s", (text, color, expected) => {
    expect(evaluate(text, { color })).toBe(expected);
  });

  test("without flags, the value must be the same", () => {
    expect(evaluate("Level has 'Low'", { level: "Lowest" })).toBe(true);
    expect(evaluate("Level has 'High'", { level: "Low" })).toBe(false);
  });
});

describe("expressions that the binder rejects", () => {
  const boolean = PRIMITIVE_TYPES["Edm.Boolean"];
  const address = propertyOf("Address");
  const type = address.type.kind === "ComplexType" ? address.type : null;
  test.each<readonly [string, Expression]>([
    [
      "complex values compared",
      { kind: "comparison", operator: "eq", left: address, right: address, operandType: type, type: boolean },
    ],
    ["complex values in a list", { kind: "in", operand: address, items: [address], type: boolean }],
    ["flags of a number", { kind: "has", operand: propertyOf("Id"), flags: propertyOf("Id"), type: boolean }],
    ["a missing argument", { kind: "call", name: "length", arguments: [], type: PRIMITIVE_TYPES["Edm.Int32"] }],
  ])("%s: does not compile", (_case, expression) => {
    expect(() => compileExpression(expression, "spec-compliant")).toThrow(Error);
  });

  test("deep nesting is compiled and evaluated", () => {
    const text = `${"not (".repeat(40)}Id eq 7${")".repeat(40)}`;
    expect(evaluate(text, entity)).toBe(true);
  });
});
