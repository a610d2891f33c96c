import { expect, test } from "vitest";
import { isNumeric, shownAs, showValue } from "../../../explorer/src/format/show-value.ts";
import { entityType, property } from "./sample-model.ts";

const of = (name: string) => ({ kind: "primitive", name: `Edm.${name}` }) as const;

test.each([
  [null, "Int32", { kind: "null", text: "null", exact: "null" }],
  ["", "String", { kind: "empty", text: "empty text", exact: "" }],
  ["null", "String", { kind: "text", text: "null", exact: "null" }],
  [true, "Boolean", { kind: "boolean", text: "true", exact: "true" }],
  [1234567, "Int32", { kind: "number", text: "1,234,567", exact: "1234567" }],
  [
    "-9223372036854775808",
    "Int64",
    { kind: "number", text: "−9,223,372,036,854,775,808", exact: "-9223372036854775808" },
  ],
  ["12345.6700", "Decimal", { kind: "number", text: "12,345.6700", exact: "12345.6700" }],
  [
    "0.1234567890123456789",
    "Decimal",
    { kind: "number", text: "0.1234567890123456789", exact: "0.1234567890123456789" },
  ],
  [1e21, "Double", { kind: "number", text: "1e+21", exact: "1e+21" }],
  ["INF", "Double", { kind: "number", text: "INF", exact: "INF" }],
  ["2024-02-29", "Date", { kind: "date", text: "29 Feb 2024", exact: "2024-02-29" }],
  ["-0044-03-15", "Date", { kind: "date", text: "-0044-03-15", exact: "-0044-03-15" }],
  ["12:30:00.0000000", "TimeOfDay", { kind: "date", text: "12:30:00", exact: "12:30:00.0000000" }],
  ["-P1DT2H30M0.5S", "Duration", { kind: "text", text: "-1d 2h 30m 0.5s", exact: "-P1DT2H30M0.5S" }],
  ["PT0S", "Duration", { kind: "text", text: "0s", exact: "PT0S" }],
  ["AAEC", "Binary", { kind: "binary", text: "3 bytes", exact: "AAEC" }],
  ["", "Binary", { kind: "binary", text: "0 bytes", exact: "" }],
  ["AA", "Binary", { kind: "binary", text: "1 byte", exact: "AA" }],
  ["A".repeat(16_384), "Binary", { kind: "binary", text: "12,288 bytes" }],
  ["6f9619ff-8b86-d011-b42d-00cf4fc964ff", "Guid", { kind: "text" }],
  [[], "String", { kind: "json", text: "no items", exact: "[]" }],
  [["a", "b"], "String", { kind: "json", text: "a, b" }],
  [[{ A: 1 }], "String", { kind: "json", text: "1 item" }],
  [
    { "@odata.type": "#T", A: 1, B: null, C: [1], D: {}, E: 2 },
    "T",
    { kind: "json", text: "A: 1, B: null, C: …, D: …, E: 2" },
  ],
])("%j of the type %s", (value, type, shown) => {
  expect(showValue(value, of(type), "en-GB")).toMatchObject(shown);
});

test("numbers follow the locale, and keep every digit", () => {
  expect(showValue("1234567.890", of("Decimal"), "de").text).toBe("1.234.567,890");
});

test("a value of an unknown type is shown by what it is", () => {
  expect(showValue(1234, null, "en").text).toBe("1,234");
  expect(showValue("1234", null, "en").text).toBe("1234");
});

test("numbers, not dates or enumerations, are numeric", () => {
  expect(["Int64", "Decimal", "Date", "String"].map((name) => isNumeric(of(name)))).toEqual([true, true, false, false]);
});

test("the digits of keys and foreign keys are a name, those of other numbers are grouped", () => {
  const customer = entityType("Customer", [property("Id", "Int32")]);
  const place = { name: "Customer", target: customer, isCollection: false, isNullable: true, partner: null };
  const navigation = { ...place, constraints: new Map([["CustomerId", "Id"]]), description: null };
  const order = entityType("Order", [
    property("Id", "Int32"),
    property("CustomerId", "Int64"),
    property("Total", "Int32"),
  ]);
  const owner = { ...order, navigations: new Map([["Customer", navigation]]) };
  const shown = (name: string, value: unknown): string => {
    const { value: own, type } = shownAs(owner, name, value, owner.properties.get(name)?.type ?? null);
    return showValue(own, type, "en").text;
  };
  expect([shown("Id", 10248), shown("CustomerId", "10248"), shown("Total", 10248)]).toEqual([
    "10248",
    "10248",
    "10,248",
  ]);
  expect(shown("Id", null)).toBe("null");
});
