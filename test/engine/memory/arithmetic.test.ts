import { describe, expect, test } from "vitest";
import { PRIMITIVE_TYPES } from "../../../src/edm/primitive-type.ts";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import type { ArithmeticExpression, Expression } from "../../../src/language/query/expression.ts";
import { evaluate, propertyOf } from "./model.ts";

const MAX = 9_223_372_036_854_775_807n;
const MIN = -MAX - 1n;

const entity = {
  id: 7,
  small: -2,
  tiny: 0,
  big: MAX,
  number: 2.5,
  single: 0.5,
  price: "1.10",
  cost: "-3",
  day: "2024-02-29",
  at: "2024-02-29T23:30:00.5+02:00",
  until: "2024-03-01T00:00:00Z",
  span: "PT36H",
};

describe("integers are computed as Int64", () => {
  test.each([
    ["Id add 3", 10n],
    ["Id sub 10", -3n],
    ["Id mul Small", -14n],
    ["Id div Small", -3n],
    ["Small div Id", 0n],
    ["Id mod Small", 1n],
    ["Small mod Id", -2n],
    ["-7 mod 2", -1n],
    ["-Id", -7n],
    ["-Tiny", 0n],
    ["Tiny mul Small", 0n],
    ["Tiny div Small", 0n],
    ["Id add 2 mul 3", 13n],
    ["(Id add 2) mul 3", 27n],
    ["-(Id add 1) sub -3", -5n],
    ["Big add 1", null],
    ["Big mul 2", null],
    ["-Big sub 2", null],
    ["-Big sub 1", MIN],
    ["-(-Big sub 1)", null],
    ["(-Big sub 1) div -1", null],
    ["(-Big sub 1) mod -1", 0n],
    ["Big sub 1", MAX - 1n],
    ["Big div 10", 922_337_203_685_477_580n],
    ["Big mod 10", 7n],
    ["9007199254740991 add Id", 9_007_199_254_740_998n],
    ["9007199254740991 div 2", 4_503_599_627_370_495n],
    ["9007199254740993 sub 9007199254740992", 1n],
    ["3037000500 mul 3037000499", 9_223_372_033_963_249_500n],
    ["Id div Tiny", null],
    ["Id mod Tiny", null],
    ["Big div Tiny", null],
    ["Big mod Tiny", null],
    ["Id add null", null],
    ["null sub Id", null],
    ["Address/Lines/$count add Id", null],
    ["Tags/$count add Id", 7n],
    ["-null", null],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, entity)).toBe(expected);
  });

  test("nulls of the row give null", () => {
    expect(evaluate("Id add 1", {})).toBeNull();
    expect(evaluate("1 sub Id", {})).toBeNull();
    expect(evaluate("-Id", {})).toBeNull();
  });

  test("a result type below Int64 gives a number", () => {
    const negated: Expression = { kind: "negate", operand: propertyOf("Small"), type: PRIMITIVE_TYPES["Edm.Int32"] };
    expect(compileExpression(negated, "spec-compliant")(entity, new Evaluation([]))).toBe(2);
  });
});

describe("Decimals are exact", () => {
  test.each([
    ["Price add 1", "2.10"],
    ["Price sub 0.1", "1.00"],
    ["Price mul Price", "1.2100"],
    ["Price mul Id", "7.70"],
    ["Price mul (Id add 1)", "8.80"],
    ["Price mul 123456789012345678901234567890", "135802467913580246791358024679.00"],
    ["Price add 0.00000000000000000001", "1.10000000000000000001"],
    ["Price sub 9007199254740993.25", "-9007199254740992.15"],
    ["1.0 div Cost", "-0.333333333333"],
    ["2.0 div 3", "0.666666666667"],
    ["Price div 2", "0.55"],
    ["0.5 div 1000000000000", "0.000000000001"],
    ["(1.0 div 2) mul (1.0 div 2) div 3", "0.083333333333"],
    ["Price mod 0.25", "0.10"],
    ["Cost mod 2.0", "-1.0"],
    ["12345678901234567890.5 mod 7", "1.5"],
    ["-Price", "-1.10"],
    ["-(Price sub Price)", "0.00"],
    ["-(Price mul 123456789012345678901234567890.0)", "-135802467913580246791358024679.000"],
    ["Price div Tiny", null],
    ["Price mod Tiny", null],
    ["Price div (Price sub Price)", null],
    ["Price add null", null],
    ["-Cost", "3"],
    ["Price add Big", "9223372036854775808.10"],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, entity)).toBe(expected);
  });

  test("a result beyond 1000 digits is null", () => {
    const price = `1${"0".repeat(600)}`;
    expect(evaluate("Price mul Price", { price })).toBeNull();
    expect(evaluate("-(Price mul Price)", { price })).toBeNull();
    expect(evaluate("Price mul Cost", { price: `0.${"0".repeat(600)}1`, cost: `0.${"0".repeat(600)}1` })).toBeNull();
    expect(evaluate("Price add Price", { price })).toBe(`2${"0".repeat(600)}`);
  });

  test("rounds a midpoint of a quotient away from zero", () => {
    expect(evaluate("Price div 2000000000000 eq 0.000000000001", { price: "1" })).toBe(true);
    expect(evaluate("Price div 2000000000000 eq -0.000000000001", { price: "-1" })).toBe(true);
    expect(evaluate("Price div 2000000000001 eq 0", { price: "1" })).toBe(true);
  });
});

describe("Double follows IEEE 754", () => {
  test.each([
    ["Number add 1", 3.5],
    ["Number sub Price", 2.5 - 1.1],
    ["Number mul Id", 17.5],
    ["Number div 2", 1.25],
    ["Number mod 2", 0.5],
    ["-Number mod 2", -0.5],
    ["Number div Tiny", Number.POSITIVE_INFINITY],
    ["-Number div Tiny", Number.NEGATIVE_INFINITY],
    ["Number mod Tiny", Number.NaN],
    ["1 div 0.0e0", Number.POSITIVE_INFINITY],
    ["Single add Price", 1.6],
    ["Single mul Number", 1.25],
    ["-Single", -0.5],
    ["Number mul null", null],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, entity)).toBe(expected);
  });

  test("nulls of the row give null", () => {
    expect(evaluate("Number add 1", {})).toBeNull();
    expect(evaluate("-Number", {})).toBeNull();
  });
});

describe("dates and durations", () => {
  test.each([
    ["At add duration'PT30M'", "2024-03-01T00:00:00.5+02:00"],
    ["duration'PT30M' add At", "2024-03-01T00:00:00.5+02:00"],
    ["At sub duration'P1D'", "2024-02-28T23:30:00.5+02:00"],
    ["Until sub At", "PT2H29M59.5S"],
    ["At sub Until", "-PT2H29M59.5S"],
    ["Day add duration'P1D'", "2024-03-01"],
    ["Day add duration'PT36H'", "2024-03-01"],
    ["Day sub duration'PT1H'", "2024-02-28"],
    ["Day sub 2024-01-01", "P59D"],
    ["Until sub Day", "P1D"],
    ["Span add duration'PT1H'", "P1DT13H"],
    ["Span sub duration'P2D'", "-PT12H"],
    ["-Span", "-PT36H"],
    ["Span mul 2", "P3D"],
    ["1.5 mul Span", "P2DT6H"],
    ["Span mul Number", "P3DT18H"],
    ["Span div 3", "PT12H"],
    ["Span div Number", "PT14H24M"],
    ["Span div Tiny", null],
    ["At add null", null],
    ["null add Span", null],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, entity)).toBe(expected);
  });

  test.each(["At add Span", "At sub At", "Day add Span", "Span mul 2", "-Span"])("%s of nulls is null", (text) => {
    expect(evaluate(text, {})).toBeNull();
  });

  test("a date out of range is null", () => {
    expect(evaluate("Day add duration'P1D'", { day: "9999999-12-31" })).toBeNull();
    expect(evaluate("At add duration'P1D'", { at: "9999999-12-31T00:00:00Z" })).toBeNull();
  });

  test("an operation that does not exist is an error of the binder", () => {
    const wrong: ArithmeticExpression = {
      kind: "arithmetic",
      operator: "mod",
      left: propertyOf("Span"),
      right: propertyOf("At"),
      type: PRIMITIVE_TYPES["Edm.Duration"],
    };
    expect(() => compileExpression(wrong, "spec-compliant")).toThrow(/Edm.Duration mod Edm.DateTimeOffset/);
    const scaled: ArithmeticExpression = { ...wrong, operator: "mul", right: propertyOf("Flag") };
    expect(() => compileExpression(scaled, "spec-compliant")({ span: "PT1H", flag: true }, new Evaluation([]))).toThrow(
      /number/,
    );
  });
});

describe("conversion", () => {
  test.each([
    ["Id lt 5000000000", true],
    ["Big gt 1.5", true],
    ["Price lt Number", true],
    ["Id eq Number", false],
    ["Day lt At", true],
    ["Day eq 2024-02-29T00:00:00Z", true],
    ["Single lt Price", true],
    ["substring('abc',Big)", ""],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, entity)).toBe(expected);
  });

  test("a Double that Decimal does not have converts to null", () => {
    const converted: Expression = {
      kind: "convert",
      operand: propertyOf("Number"),
      type: PRIMITIVE_TYPES["Edm.Decimal"],
    };
    const convert = compileExpression(converted, "spec-compliant");
    expect(convert({ number: Number.NaN }, new Evaluation([]))).toBeNull();
    expect(convert({ number: 1.5 }, new Evaluation([]))).toBe("1.5");
  });

  test("a value of the target type is unchanged", () => {
    const text: Expression = { kind: "convert", operand: propertyOf("Name"), type: PRIMITIVE_TYPES["Edm.String"] };
    expect(compileExpression(text, "spec-compliant")({ name: "x" }, new Evaluation([]))).toBe("x");
    const at: Expression = { kind: "convert", operand: propertyOf("At"), type: PRIMITIVE_TYPES["Edm.DateTimeOffset"] };
    expect(compileExpression(at, "spec-compliant")(entity, new Evaluation([]))).toBe(entity.at);
  });
});
