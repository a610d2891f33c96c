import { expect, test } from "vitest";
import type { PropertyType } from "../../../explorer/src/model/model.ts";
import { readTypedJson, typedOf } from "../../../explorer/src/query/literals.ts";

const one = (name: string) => ({ type: { kind: "primitive", name } satisfies PropertyType, isCollection: false });

test.each([
  ["Edm.String", " it's ", " it's "],
  ["Edm.String", "", ""],
  ["Edm.Boolean", "TRUE", true],
  ["Edm.Int32", "+12", 12],
  ["Edm.Int64", "9007199254740993", "9007199254740993"],
  ["Edm.Decimal", "1.10", "1.10"],
  ["Edm.Double", "1.5e3", 1500],
  ["Edm.Double", "inf", "INF"],
  ["Edm.DateTimeOffset", "2024-02-29 13:20Z", "2024-02-29T13:20Z"],
  ["Edm.Duration", "pt45s", "PT45S"],
])("reads what a person types as a value of JSON: %s %j", (name, typed, value) => {
  expect(readTypedJson(typed, one(name))).toEqual({ value, message: null });
});

test.each([
  ["Edm.Int32", "1.5", "“1.5” is not valid. Type a whole number, such as 5."],
  ["Edm.Date", "2023-02-29", "“2023-02-29” is not valid. The month has no such day."],
])("says what is wrong, and what would be right: %s %j", (name, typed, message) => {
  expect(readTypedJson(typed, one(name))).toEqual({ value: null, message });
});

test("reads lists and objects as JSON", () => {
  const list = { ...one("Edm.Int32"), isCollection: true };
  expect(readTypedJson("[1, 2]", list)).toEqual({ value: [1, 2], message: null });
  expect(readTypedJson("{}", list).message).toBe("Type an array, such as [1, 2].");
  expect(readTypedJson("[1,", list).message).toMatch(/^This is not JSON: /);
});

test("shows a value as the text that a person edits", () => {
  expect(typedOf(null, one("Edm.String"))).toBe("");
  expect(typedOf(true, one("Edm.Boolean"))).toBe("true");
  expect(typedOf("1.10", one("Edm.Decimal"))).toBe("1.10");
  expect(typedOf([1], { ...one("Edm.Int32"), isCollection: true })).toBe("[\n  1\n]");
});
