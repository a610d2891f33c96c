import { describe, expect, test } from "vitest";
import { fromLiteral } from "../../src/edm/literal.ts";
import type { EnumType } from "../../src/edm/model.ts";
import { type Facets, PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import { InvalidValueError, type PrimitiveValue } from "../../src/edm/value-codec.ts";

type SpelledLiteral = Parameters<typeof fromLiteral>[0];

const color: EnumType = {
  kind: "EnumType",
  name: "Color",
  qualifiedName: "Shop.Color",
  isFlags: false,
  members: new Map([
    ["Red", 0],
    ["Green", 1],
  ]),
};

const read = (literal: SpelledLiteral, target: PrimitiveTypeName | "enum", facets?: Facets): PrimitiveValue =>
  fromLiteral(literal, target === "enum" ? color : PRIMITIVE_TYPES[target], facets);

const GUID = "01234567-89ab-cdef-0123-456789abcdef";

test.each<readonly [PrimitiveTypeName, string, PrimitiveTypeName, PrimitiveValue]>([
  ["Edm.Int32", "5", "Edm.Byte", 5],
  ["Edm.Int32", "5", "Edm.Int32", 5],
  ["Edm.Int32", "5", "Edm.Int64", 5n],
  ["Edm.Int32", "5", "Edm.Decimal", "5"],
  ["Edm.Int32", "5", "Edm.Double", 5],
  ["Edm.Int64", "5", "Edm.Int32", 5],
  ["Edm.Decimal", "99999999999999999999", "Edm.Double", 1e20],
  ["Edm.Decimal", "1.10", "Edm.Decimal", "1.10"],
  ["Edm.Decimal", "1.5", "Edm.Single", 1.5],
  ["Edm.Double", "1.5e3", "Edm.Decimal", "1500"],
  ["Edm.Double", "INF", "Edm.Single", Number.POSITIVE_INFINITY],
  ["Edm.String", "it's", "Edm.String", "it's"],
  ["Edm.String", GUID.toUpperCase(), "Edm.Guid", GUID],
  ["Edm.Boolean", "True", "Edm.Boolean", true],
  ["Edm.Guid", GUID.toUpperCase(), "Edm.Guid", GUID],
  ["Edm.Date", "2024-02-29", "Edm.Date", "2024-02-29"],
  ["Edm.Date", "2024-02-29", "Edm.DateTimeOffset", "2024-02-29T00:00:00Z"],
  ["Edm.DateTimeOffset", "2024-02-29T10:00Z", "Edm.DateTimeOffset", "2024-02-29T10:00:00Z"],
  ["Edm.TimeOfDay", "10:00", "Edm.TimeOfDay", "10:00:00"],
  ["Edm.Duration", "PT1H", "Edm.Duration", "PT1H"],
  ["Edm.Binary", "Zm8", "Edm.Binary", new Uint8Array([102, 111])],
])("%s %s for %s", (type, text, target, value) => {
  expect(read({ type, text }, target)).toStrictEqual(value);
});

test.each<readonly [SpelledLiteral, string]>([
  [{ type: "enum", text: "Red", typeName: "Shop.Color" }, "Red"],
  [{ type: "enum", text: "1", typeName: "Shop.Color" }, "Green"],
  [{ type: "Edm.String", text: "Green" }, "Green"],
])("%j for an enumeration", (literal, value) => {
  expect(read(literal, "enum")).toBe(value);
});

describe("errors show the correct literal", () => {
  test.each<readonly [SpelledLiteral, PrimitiveTypeName | "enum", string]>([
    [
      { type: "Edm.Decimal", text: "5.0" },
      "Edm.Int32",
      '"5.0" is not an Edm.Int32: write a whole number from -2147483648 to 2147483647.',
    ],
    [
      { type: "Edm.Int64", text: "2147483648" },
      "Edm.Int32",
      '"2147483648" is not an Edm.Int32: write a whole number from -2147483648 to 2147483647.',
    ],
    [
      { type: "Edm.Double", text: "NaN" },
      "Edm.Decimal",
      '"NaN" is not an Edm.Decimal: write digits with an optional sign and fraction, such as -12.50.',
    ],
    [
      { type: "Edm.String", text: "5" },
      "Edm.Int32",
      '"5" is written as Edm.String where Edm.Int32 is expected: write 5.',
    ],
    [
      { type: "Edm.String", text: "x" },
      "Edm.Int32",
      '"x" is written as Edm.String where Edm.Int32 is expected: write a number such as 5.',
    ],
    [
      { type: "Edm.Int32", text: "5" },
      "Edm.String",
      `"5" is written as Edm.Int32 where Edm.String is expected: write '5'.`,
    ],
    [
      { type: "enum", text: GUID, typeName: "Shop.Color" },
      "Edm.Guid",
      `"${GUID}" is written as Shop.Color where Edm.Guid is expected: write ${GUID}.`,
    ],
    [{ type: "Edm.String", text: "x" }, "Edm.Guid", `"x" is not an Edm.Guid: write 32 hexadecimal digits as ${GUID}.`],
    [
      { type: "Edm.String", text: "PT1H" },
      "Edm.Duration",
      `"PT1H" is written as Edm.String where Edm.Duration is expected: write duration'PT1H'.`,
    ],
    [
      { type: "Edm.DateTimeOffset", text: "2024-02-29T00:00:00Z" },
      "Edm.Date",
      '"2024-02-29T00:00:00Z" is written as Edm.DateTimeOffset where Edm.Date is expected: write 2024-02-29.',
    ],
    [
      { type: "Edm.Int32", text: "1" },
      "enum",
      `"1" is written as Edm.Int32 where Shop.Color is expected: write Shop.Color'Green'.`,
    ],
    [
      { type: "Edm.Int32", text: "9" },
      "enum",
      `"9" is written as Edm.Int32 where Shop.Color is expected: write Shop.Color'Red' or 'Red'.`,
    ],
    [{ type: "Edm.String", text: "Blue" }, "enum", '"Blue" is not a value of Shop.Color: write one of Red, Green.'],
    [
      { type: "enum", text: "Red", typeName: "Shop.Size" },
      "enum",
      `"Red" is written as Shop.Size where Shop.Color is expected: write Shop.Color'Red'.`,
    ],
    [
      { type: "geo", text: "Point(1 2)", typeName: "geography" },
      "Edm.Boolean",
      '"Point(1 2)" is written as geography where Edm.Boolean is expected: write true or false.',
    ],
    [
      { type: "geo", text: "Point(1 2)" },
      "Edm.Date",
      '"Point(1 2)" is written as geo where Edm.Date is expected: write 2024-02-29.',
    ],
  ])("%j for %s", (literal, target, message) => {
    expect(() => read(literal, target)).toThrow(new InvalidValueError(message));
  });

  test("checks facets", () => {
    expect(() => read({ type: "Edm.String", text: "four" }, "Edm.String", { maxLength: 3 })).toThrow("is too long");
    expect(read({ type: "Edm.String", text: "for" }, "Edm.String", { maxLength: 3 })).toBe("for");
  });

  test("refuses a date that does not exist as a DateTimeOffset", () => {
    expect(() => read({ type: "Edm.Date", text: "2024-02-30" }, "Edm.DateTimeOffset")).toThrow(InvalidValueError);
  });
});
