import { describe, expect, test } from "vitest";
import { bindEntityKey, bindKey } from "../../../src/language/binder/bind-key.ts";
import { entitySet } from "./model.ts";
import { errorOf } from "./requests.ts";

function key(set: string, text: string, aliases: Readonly<Record<string, string>> = {}): unknown {
  return bindEntityKey(text, entitySet(set).entityType, new Map(Object.entries(aliases)), set);
}

test.each<[string, string, unknown]>([
  ["Products", "1", 1],
  ["Products", " 1 ", 1],
  ["Products", "Id=1", 1],
  ["Products", "id=1", 1],
  ["Products", "-7", -7],
  ["BooleanKeys", "TRUE", true],
  ["ByteKeys", "255", 255],
  ["Int64Keys", "9007199254740993", 9007199254740993n],
  ["Int64Keys", "5L", 5n],
  ["DecimalKeys", "1.10", "1.10"],
  ["DecimalKeys", "5", "5"],
  ["DoubleKeys", "5", 5],
  ["SingleKeys", "1.5", 1.5],
  ["StringKeys", "'O''Neil'", "O'Neil"],
  ["StringKeys", "''", ""],
  ["StringKeys", "'a/b+ü'", "a/b+ü"],
  ["GuidKeys", "01234567-89AB-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"],
  ["BinaryKeys", "binary'AQID'", new Uint8Array([1, 2, 3])],
  ["DateKeys", "2024-02-29", "2024-02-29"],
  ["TimeOfDayKeys", "12:30:00", "12:30:00"],
  ["DateTimeOffsetKeys", "2024-02-29T12:30:00+01:00", "2024-02-29T12:30:00+01:00"],
  ["DateTimeOffsetKeys", "2024-02-29", "2024-02-29T00:00:00Z"],
  ["DurationKeys", "duration'PT1H'", "PT1H"],
  ["Colors", "Shop.Color'Red'", "Red"],
  ["Colors", "'Red'", "Red"],
])("%s(%s)", (set, text, value) => {
  expect(key(set, text)).toEqual(value);
});

test("a parameter alias is replaced by its value", () => {
  expect(key("Products", "@id", { "@id": "5" })).toBe(5);
});

test("a composite key is a frozen object by field, whatever the order and the fields' names", () => {
  const found = key("Lines", "number=2,OrderId=1");
  expect(Object.entries(found as object)).toEqual([
    ["order_id", 1n],
    ["__proto__", 2],
  ]);
  expect(Object.isFrozen(found)).toBe(true);
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
});

test("the values of a key are in the order of the type", () => {
  const { entityType } = entitySet("Lines");
  const literal = (text: string, index: number) =>
    ({ kind: "literal", index, literal: { type: "Edm.Int32", text, position: 0 }, position: 0 }) as const;
  const parts = [
    { name: "Number", value: literal("2", 0) },
    { name: "OrderId", value: literal("1", 1) },
  ];
  expect(bindKey({ parts, position: 0 }, entityType).values).toEqual([1n, 2]);
});

describe("400 InvalidKey", () => {
  test.each<[string, string, string]>([
    ["Products", "", "The parentheses must contain a key. Write a key such as Products(5)."],
    [
      "Products",
      "'x'",
      "'Id': \"x\" is written as Edm.String where Edm.Int32 is expected: write a number such as 5. Write a key such as Products(5).",
    ],
    ["Products", "null", "'Id' must not be null. Write a key such as Products(5)."],
    ["Products", "@id", "The parameter alias '@id' has no value in the query. Write a key such as Products(5)."],
    ["Products", "Nr=1", "The key has no property 'Nr'. Write a key such as Products(5)."],
    ["Products", "Name='x'", "The key has no property 'Name'. Write a key such as Products(5)."],
    ["Products", "Id=1,id=2", "'Id' appears twice in the key. Write a key such as Products(5)."],
    [
      "Products",
      "01234567-89ab-cdef-0123-456789abcdef",
      "'Id': \"01234567-89ab-cdef-0123-456789abcdef\" is written as Edm.Guid where Edm.Int32 is expected: write a number such as 5. Write a key such as Products(5).",
    ],
    [
      "StringKeys",
      "5",
      "'Id': \"5\" is written as Edm.Int32 where Edm.String is expected: write '5'. Write a key such as StringKeys('text').",
    ],
    [
      "GuidKeys",
      "'x'",
      "'Id': \"x\" is not an Edm.Guid: write 32 hexadecimal digits as 01234567-89ab-cdef-0123-456789abcdef. Write a key such as GuidKeys(01234567-89ab-cdef-0123-456789abcdef).",
    ],
    [
      "Colors",
      "Shop.Access'Read'",
      "'Id': \"Read\" is written as Shop.Access where Shop.Color is expected: write Shop.Color'Red' or 'Red'. Write a key such as Colors('Red').",
    ],
    [
      "Colors",
      "1",
      "'Id': \"1\" is written as Edm.Int32 where Shop.Color is expected: write Shop.Color'Green'. Write a key such as Colors('Red').",
    ],
    [
      "StringKeys",
      "Shop.Color'Red'",
      "'Id': \"Red\" is written as Shop.Color where Edm.String is expected: write 'Red'. Write a key such as StringKeys('text').",
    ],
    ["Lines", "1", "Each value of this key must be named. Write a key such as Lines(OrderId=5,Number=5)."],
    ["Lines", "OrderId=1", "The key lacks 'Number'. Write a key such as Lines(OrderId=5,Number=5)."],
    [
      "Lines",
      "OrderId=1,Nmuber=2",
      "The key has no property 'Nmuber'. Did you mean 'Number'? Write a key such as Lines(OrderId=5,Number=5).",
    ],
  ])("%s(%s)", (set, text, message) => {
    expect(errorOf(() => key(set, text))).toEqual([400, "InvalidKey", "key", message]);
  });

  test.each([
    ["Products", "1.5"],
    ["Products", "3000000000"],
    ["Products", "1,2"],
    ["Products", "1 add 1"],
    ["Products", "Price"],
    ["Products", "(1)"],
    ["Products", "{}"],
    ["Products", "[1]"],
    ["ByteKeys", "256"],
    ["ByteKeys", "-1"],
    ["Int64Keys", "9223372036854775808"],
    ["DateKeys", "2024-02-30"],
    ["Colors", "'Purple'"],
    ["StringKeys", "'x"],
    ["Products", "geography'POINT(1 2)'"],
  ])("%s(%s)", (set, text) => {
    expect(errorOf(() => key(set, text))).toEqual([400, "InvalidKey", "key", expect.any(String)]);
  });

  test("nodes that the parser never produces", () => {
    const { entityType } = entitySet("Products");
    const empty = { parts: [], position: 0 };
    const two = { name: null, value: { kind: "null", position: 0 } } as const;
    const list = { name: null, value: { kind: "list", items: [], position: 0 } } as const;
    const write = "Write a key such as (5).";
    const expected = (problem: string): unknown => [400, "InvalidKey", "key", `${problem} ${write}`];
    expect(errorOf(() => bindKey(empty, entityType))).toEqual(expected("The parentheses must contain a key."));
    expect(errorOf(() => bindKey({ parts: [two, two], position: 0 }, entityType))).toEqual(
      expected("The key has only one value."),
    );
    expect(errorOf(() => bindKey({ parts: [list], position: 0 }, entityType))).toEqual(
      expected("'Id' takes one literal."),
    );
  });
});
