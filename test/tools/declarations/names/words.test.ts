import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSimpleIdentifier } from "../../../../src/definition/names.ts";
import { asIdentifier, pascalCase, wordsOf } from "../../../../src/tools/declarations/names/inflection.ts";
import { objectKey } from "../../../../src/tools/declarations/names/naming.ts";
import { caseCount } from "../../../cases.ts";

describe("the Pascal case of a name of a database", () => {
  test.each([
    ["order_line", "OrderLine"],
    ["CustomerID", "CustomerID"],
    ["ORDER_LINE", "OrderLine"],
    ["ID", "Id"],
    ["Länge (cm)", "LängeCm"],
    ["LA\u0308NGE", "Länge"],
    ["2nd", "_2nd"],
    ["line 2nd", "Line2nd"],
    ["checklist_item_1", "ChecklistItem1"],
    ["Order Details", "OrderDetails"],
    ["Sales by Category", "SalesByCategory"],
    ["DNS_records", "DNSRecords"],
    ["__typename", "Typename"],
    ["__proto__", "Proto"],
    ["straße", "Straße"],
    ["ßlot", "ßlot"],
    ["订单", "订单"],
    ["заказ_товара", "ЗаказТовара"],
    ["a😀b", "AB"],
    ["%", "U25"],
    ["_", "U5F"],
    ["😀", "U1F600"],
    ["", "Empty"],
    ["हिन्दी", "हिन्दी"],
  ])("%s: %s", (name, pascal) => {
    expect(pascalCase(wordsOf(name))).toBe(pascal);
  });
});

describe("the identifier of a name of a database", () => {
  test.each([
    ["order_line", "order_line"],
    ["CustomerID", "CustomerID"],
    ["ORDER_LINE", "ORDER_LINE"],
    ["Länge (cm)", "Länge_cm"],
    ["2nd", "_2nd"],
    ["_", "_"],
    ["__x", "__x"],
    ["%", "U25"],
    ["", "Empty"],
  ])("%s: %s", (name, kept) => {
    expect(asIdentifier(name)).toBe(kept);
  });
});

test("long names keep their beginning and differ", () => {
  const names = ["x", "y"].map((end) => pascalCase(wordsOf("long_".repeat(40) + end)));
  expect(names.map((name) => name.length)).toEqual([128, 128]);
  expect(names[0]?.slice(0, 119)).toBe(names[1]?.slice(0, 119));
  expect(names[0]).not.toBe(names[1]);
});

test("any name becomes a simple identifier", () => {
  const names = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ unit: "grapheme" }), fc.string());
  fc.assert(
    fc.property(names, (name) => {
      expect(isSimpleIdentifier(pascalCase(wordsOf(name)))).toBe(true);
      expect(isSimpleIdentifier(asIdentifier(name))).toBe(true);
    }),
    { numRuns: caseCount(500) },
  );
});

test("the key of an object tells schema and name apart", () => {
  expect(objectKey({ schema: "a.b", name: "c" })).not.toBe(objectKey({ schema: "a", name: "b.c" }));
});
