import { describe, expect, test } from "vitest";
import type { StructuralProperty } from "../../../src/edm/model.ts";
import { InvalidValueError } from "../../../src/edm/value-codec.ts";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import type { ItExpression } from "../../../src/language/query/expression.ts";
import { evaluate, propertyOf, Thing } from "./model.ts";

/** An instant with more than milliseconds cannot be a Date, so parameters may be between two Dates. */
const DATE = new Date("2024-02-29T10:00:00.250Z");

describe("the value of a property", () => {
  test.each([
    ["Id", { id: 7 }, 7],
    ["Id", { id: 7n }, 7],
    ["Big", { big: 7 }, 7n],
    ["Big", { big: 7n }, 7n],
    ["Price", { price: "1.10" }, "1.10"],
    ["Price", { price: 1.5 }, "1.5"],
    ["Price", { price: 12n }, "12"],
    ["Price", { price: "007.50" }, "7.50"],
    ["Price", { price: "-0.0" }, "0.0"],
    ["Price", { price: "1e2" }, "100"],
    ["Uuid", { uuid: "0B0B0B0B-0000-4000-8000-00000000000A" }, "0b0b0b0b-0000-4000-8000-00000000000a"],
    ["Day", { day: DATE }, "2024-02-29"],
    ["At", { at: DATE }, "2024-02-29T10:00:00.250Z"],
    ["At", { at: new Date("-000044-03-15T00:00:00Z") }, "-0044-03-15T00:00:00.000Z"],
    ["At", { at: "2024-02-29t10:00z" }, "2024-02-29T10:00:00Z"],
    ["Time", { time: "10:00" }, "10:00:00"],
    ["Color", { color: "Blue,Red" }, "Red,Blue"],
    ["Color", { color: 3 }, "Red,Green"],
    ["Level", { level: "Lowest" }, "Low"],
    ["Name", { name: null }, null],
    ["Name", {}, null],
    ["Address/City", { address: { city: "Köln" } }, "Köln"],
    ["Address/City", { address: null }, null],
    ["Address/City", {}, null],
    ["Address/Geo/Latitude", { address: { geo: { latitude: 1.5 } } }, 1.5],
    ["Tags/$count", { tags: ["a", "b"] }, 2n],
    ["Tags/$count", {}, 0n],
    ["Address/Lines/$count", { address: {} }, 0n],
    ["Address/Lines/$count", {}, null],
  ])("%s of %o is %o", (path, entity, expected) => {
    expect(evaluate(path, entity)).toBe(expected);
    // The second conversion comes from the cache.
    expect(evaluate(path, entity)).toBe(expected);
  });

  test("binary values are unchanged", () => {
    const bytes = new Uint8Array([1, 2]);
    expect(evaluate("Bytes", { bytes })).toBe(bytes);
    expect(evaluate("Bytes", { bytes: bytes.buffer })).toEqual(bytes);
  });

  test("getters of a class are read, also through its prototype", () => {
    class Base {
      get name(): string {
        return "from a getter";
      }
    }
    class Derived extends Base {
      readonly id = 1;
    }
    expect(evaluate("Name", new Derived())).toBe("from a getter");
  });

  test("members that every object inherits are not properties", () => {
    class Entity {
      readonly id = 1;
    }
    for (const path of ["Constructor", "Proto"]) {
      expect(evaluate(path, {})).toBeNull();
      expect(evaluate(path, new Entity())).toBeNull();
      expect(evaluate(`${path} eq null`, {})).toBe(true);
      expect(evaluate(`contains(${path},'x')`, {})).toBeNull();
    }
    expect(evaluate("Constructor", { constructor: "own" })).toBe("own");
    expect(evaluate("Constructor", { constructor: undefined })).toBeNull();
    expect(evaluate("Proto", JSON.parse('{"__proto__":"own"}'))).toBe("own");
    expect(evaluate("Name", Object.assign(Object.create(null), { name: "bare" }))).toBe("bare");
  });
});

describe("a Date compared with a literal", () => {
  test.each([
    ["At eq 2024-02-29T10:00:00.25Z", true],
    ["At ne 2024-02-29T10:00:00.25Z", false],
    ["At ge 2024-02-29T11:00:00.25+01:00", true],
    ["At le 2024-02-29T10:00:00.250000000001Z", true],
    ["At lt 2024-02-29T10:00:00.250000000001Z", true],
    ["At eq 2024-02-29T10:00:00.250000000001Z", false],
    ["At gt 2024-02-29T10:00:00.249999999999Z", true],
    ["At gt 2024-02-29T10:00:00.250000000000Z", false],
    ["At lt 2024-02-29T10:00:01Z", true],
    ["2024-02-29T10:00:01Z gt At", true],
    ["At gt 0001-01-01T00:00:00Z", true],
    ["At lt 12024-01-01T00:00:00Z", true],
    ["At gt -0044-03-15T12:00:00.5Z", true],
    ["At gt 2024-02-29", true],
    ["At eq Until", true],
    ["At in (2024-02-29T10:00:00.25Z)", true],
    ["year(At) eq 2024", true],
  ])("%s is %s", (text, expected) => {
    expect(evaluate(text, { at: DATE, until: DATE.toISOString() })).toBe(expected);
    expect(evaluate(text, { at: DATE.toISOString(), until: DATE })).toBe(expected);
  });
});

describe("a value of another type is a fault of the application", () => {
  test.each([
    ["Id", { id: "7" }, "Thing.Id (field id) must be Edm.Int32, but a handler returned a string."],
    ["Id eq 7", { id: {} }, /Thing\.Id .*a value of class Object/],
    ["Name eq 'x'", { name: Symbol("x") }, /Thing\.Name .*Edm\.String.*a symbol/],
    ["Big gt 1", { big: 1.5 }, /Thing\.Big .*Edm\.Int64.*a number/],
    ["Price gt 1", { price: "cheap" }, /Thing\.Price .*Edm\.Decimal.*a string/],
    ["Price gt 1", { price: "1." }, /Thing\.Price/],
    ["Price gt 1", { price: "" }, /Thing\.Price/],
    ["Price gt 1", { price: "-" }, /Thing\.Price/],
    ["Price gt 1", { price: Number.NaN }, /Thing\.Price/],
    ["At gt 2024-01-01T00:00:00Z", { at: new Date(Number.NaN) }, /Thing\.At .*a value of class Date/],
    ["At gt 2024-01-01T00:00:00Z", { at: "yesterday" }, /Thing\.At/],
    ["At gt 2024-01-01T00:00:00Z", { at: "2024-01-01T00:00:00.Z" }, /Thing\.At/],
    ["At gt 2024-01-01T00:00:00Z", { at: "2024-01-01T00:00:00 oder so Z" }, /Thing\.At/],
    ["Time gt 10:00:00", { time: "10:00:00+02:00" }, /Thing\.Time/],
    ["Time gt 10:00:00", { time: "10:00:0" }, /Thing\.Time/],
    ["Color eq 'Red'", { color: "Pink" }, /Thing\.Color .*Color/],
    ["Color eq 'Red'", { color: {} }, /Thing\.Color .*class Object/],
    ["Address/City eq 'x'", { address: "Köln" }, /Thing\.Address .*Address.*a string/],
    [
      "Address/City eq 'x'",
      { address: { city: 5 } },
      /Thing\.Address \(field address\)\.City \(field city\) .*a number/,
    ],
    ["Tags/$count eq 1", { tags: "abc" }, /Thing\.Tags .*a collection.*a string/],
  ])("%s of %o", (text, entity, message) => {
    expect(() => evaluate(text, entity)).toThrow(TypeError);
    expect(() => evaluate(text, entity)).toThrow(message);
  });

  test("the error for clients is its cause", () => {
    try {
      evaluate("Id", { id: "secret" });
      expect.unreachable();
    } catch (error) {
      expect(error).not.toBeInstanceOf(InvalidValueError);
      expect(String(error)).not.toContain("secret");
      expect((error as Error).cause).toBeInstanceOf(InvalidValueError);
    }
  });

  test("an error of a getter is unchanged", () => {
    const entity = {
      get id(): number {
        throw new RangeError("not loaded");
      },
    };
    expect(() => evaluate("Id", entity)).toThrow(RangeError);
  });
});

describe("the item itself", () => {
  test("of a collection of values", () => {
    const it: ItExpression = { kind: "it", type: propertyOf("Price").type };
    // An item of a collection may be a value, although the signature of closures requires an object.
    const evaluateItem = compileExpression(it, "spec-compliant") as (item: unknown, evaluation: Evaluation) => unknown;
    expect([1.5, "2.50", null].map((item) => evaluateItem(item, new Evaluation([])))).toEqual(["1.5", "2.50", null]);
  });

  test("of entities has no value", () => {
    expect(() => compileExpression({ kind: "it", type: Thing }, "spec-compliant")).toThrow(/Thing/);
  });
});

test("a parameter without a value is an error of the binder", () => {
  const parameter = compileExpression(
    { kind: "parameter", index: 2, type: Thing.key[0]?.type as never },
    "spec-compliant",
  );
  expect(() => parameter({}, new Evaluation([]))).toThrow(/Parameter 2/);
});

test("a field with the same name as the property is named once", () => {
  const property: StructuralProperty = { ...propertyOf("Id").property, field: "Id" };
  const read = compileExpression({ ...propertyOf("Id"), property }, "spec-compliant");
  expect(() => read({ Id: true }, new Evaluation([]))).toThrow(/^Thing\.Id must be/);
});
