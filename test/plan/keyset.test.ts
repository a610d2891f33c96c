import { describe, expect, test } from "vitest";
import type { EntityType, StructuralProperty } from "../../src/edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import { type KeysetValue, seekBehind } from "../../src/plan/keyset-filter.ts";
import { type KeysetOrder, keysetOrder, withOrderProperties } from "../../src/plan/keyset-order.ts";
import { readKeysetToken, writeKeysetToken } from "../../src/plan/keyset-token.ts";
import { totalOrder } from "../../src/plan/total-order.ts";
import type { OrderByItem } from "../../src/query/clauses.ts";
import type { Expression } from "../../src/query/expression.ts";

function property(name: string, type: PrimitiveTypeName, nullable = false): StructuralProperty {
  return Object.freeze({
    kind: "StructuralProperty",
    name,
    field: name,
    type: PRIMITIVE_TYPES[type],
    isCollection: false,
    nullable,
    isKey: name === "id",
    computed: false,
    immutable: false,
    index: 0,
    facets: {},
    defaultValue: undefined,
    description: undefined,
  });
}

const ID = property("id", "Edm.Int32");
const DAY = property("day", "Edm.Date");
const NAME = property("name", "Edm.String", true);
const RATIO = property("ratio", "Edm.Double");

const TYPE: EntityType = Object.freeze({
  kind: "EntityType",
  name: "Thing",
  qualifiedName: "Test.Thing",
  key: [ID],
  properties: [ID, DAY, NAME, RATIO],
  ignoredProperties: [],
  navigationProperties: [],
  description: undefined,
}) as unknown as EntityType;

function term(of: StructuralProperty, descending = false): OrderByItem {
  return {
    expression: { kind: "property", source: { kind: "it", type: TYPE }, property: of, type: of.type },
    descending,
  };
}

function orderOf(...terms: readonly OrderByItem[]): KeysetOrder {
  const order = keysetOrder(totalOrder(terms, TYPE), TYPE.key);
  if (order === null) throw new Error("The order cannot be sought.");
  return order;
}

/** Writes a condition as text. */
function show(expression: Expression): string {
  switch (expression.kind) {
    case "property":
      return expression.property.name;
    case "parameter":
      return `@${String(expression.index)}`;
    case "literal":
      return String(expression.value);
    case "null":
      return "null";
    case "comparison":
      return `${show(expression.left)} ${expression.operator} ${show(expression.right)}`;
    case "logical":
      return `(${expression.operands.map(show).join(` ${expression.operator} `)})`;
    case "not":
      return `not (${show(expression.operand)})`;
    default:
      return expression.kind;
  }
}

function condition(order: KeysetOrder, row: readonly KeysetValue[], isRow = true): string {
  return show(seekBehind(order, row, { filter: null, values: [], isRow }).filter.expression);
}

describe("the condition of the rows after a row", () => {
  test.each<readonly [terms: readonly OrderByItem[], row: readonly KeysetValue[], condition: string]>([
    [[], [5], "id gt @0"],
    [[term(ID, true)], [5], "id lt @0"],
    [[term(DAY)], ["2024-01-01", 5], "(day ge @0 and (day gt @0 or id gt @1))"],
    [[term(DAY, true)], ["2024-01-01", 5], "(day le @0 and (day lt @0 or id lt @1))"],
    [[term(DAY, true), term(ID)], ["2024-01-01", 5], "(day le @0 and (day lt @0 or id gt @1))"],
    [[term(NAME)], ["a", 5], "(name ge @0 and (name gt @0 or id gt @1))"],
    [[term(NAME)], [null, 5], "(name ne null or id gt @0)"],
    [[term(NAME, true)], ["a", 5], "(name eq null or (name le @0 and (name lt @0 or id lt @1)))"],
    [[term(NAME, true)], [null, 5], "(name eq null and id lt @0)"],
    [[term(RATIO, true)], [1.5, 5], "(ratio le @0 and (ratio lt @0 or id lt @1))"],
    [
      [term(DAY), term(NAME, true)],
      ["2024-01-01", null, 5],
      "(day ge @0 and (day gt @0 or (name eq null and id lt @1)))",
    ],
  ])("%#: %s", (terms, row, expected) => {
    expect(condition(orderOf(...terms), row)).toBe(expected);
  });

  test.each<readonly [descending: boolean, row: readonly KeysetValue[], condition: string]>([
    [false, [1.5, 5], "(ratio ge @0 and (ratio gt @0 or id gt @1))"],
    [true, [1.5, 5], "(not (ratio gt @0) and (not (ratio ge @0) or id lt @1))"],
    [false, [Number.NaN, 5], "(ratio ge -Infinity or (ratio ne null and id gt @0))"],
    [true, [Number.NaN, 5], "(ratio eq null or (not (ratio ge -Infinity) and id lt @0))"],
  ])("in memory, where there is NaN: descending %s, %s", (descending, row, expected) => {
    expect(condition(orderOf(term(RATIO, descending)), row, false)).toBe(expected);
  });

  test("terms after the key are dropped, because no ties remain", () => {
    expect(orderOf(term(ID), term(NAME)).terms).toHaveLength(1);
  });

  test("the filter of the query comes first, and its parameters precede those of the row", () => {
    const flag: Expression = { kind: "literal", value: true, type: PRIMITIVE_TYPES["Edm.Boolean"] };
    const filter = { expression: flag };
    const seek = seekBehind(orderOf(term(DAY)), ["2024-01-01", 5], { filter, values: ["x", 1], isRow: true });
    expect(show(seek.filter.expression)).toBe("(true and day ge @2 and (day gt @2 or id gt @3))");
    expect(seek.values).toEqual(["x", 1, "2024-01-01", 5]);
  });

  test("is one object for all rows of the same form, so that it is compiled once", () => {
    const order = orderOf(term(NAME));
    const filterOf = (row: readonly KeysetValue[]): unknown =>
      seekBehind(order, row, { filter: null, values: [], isRow: true }).filter;
    expect(filterOf(["a", 1])).toBe(filterOf(["b", 2]));
    expect(filterOf(["a", 1])).not.toBe(filterOf([null, 2]));
    expect(filterOf([null, 1])).toBe(filterOf([null, 2]));
  });
});

describe("an order without keyset paging", () => {
  const bool = PRIMITIVE_TYPES["Edm.Boolean"];
  const tags = { ...property("tags", "Edm.String"), isCollection: true };
  const collection = { kind: "property", source: { kind: "it", type: TYPE }, property: tags, type: tags.type } as const;
  const EXPRESSIONS: readonly Expression[] = [
    { kind: "count", collection, type: PRIMITIVE_TYPES["Edm.Int64"] },
    { kind: "lambda", operator: "any", collection, depth: 0, predicate: null, type: bool },
    { kind: "call", name: "now", arguments: [], type: PRIMITIVE_TYPES["Edm.DateTimeOffset"] },
    {
      kind: "not",
      operand: { kind: "lambda", operator: "any", collection, depth: 0, predicate: null, type: bool },
      type: bool,
    },
    { kind: "null", type: null },
  ];

  test.each(EXPRESSIONS)("by $kind", (expression) => {
    expect(keysetOrder(totalOrder([{ expression, descending: false }], TYPE), TYPE.key)).toBeNull();
  });

  test("by more than 32 terms before the key", () => {
    const terms = (count: number): OrderByItem[] => Array.from({ length: count }, () => term(DAY));
    expect(keysetOrder(totalOrder(terms(31), TYPE), TYPE.key)?.terms).toHaveLength(32);
    expect(keysetOrder(totalOrder(terms(32), TYPE), TYPE.key)).toBeNull();
  });
});

test("the whole properties of the order are read, too, with the same list each time", () => {
  const order = orderOf(term(DAY));
  const selected = [{ property: NAME }, { property: DAY, nested: [] }];
  const all = withOrderProperties(selected, order);
  expect(all).toEqual([{ property: NAME }, { property: DAY }, { property: ID }]);
  expect(withOrderProperties(selected, order)).toBe(all);
  const enough = [{ property: ID }, { property: DAY }];
  expect(withOrderProperties(enough, order)).toBe(enough);
});

describe("the text of a token", () => {
  // A seal without encryption, so that the text is visible.
  const scope = {
    context: "Orders",
    seal: {
      seal: (text: string, context: string) => `${context} ${text}`,
      open: (token: string, context: string) =>
        token.startsWith(`${context} `) ? token.slice(context.length + 1) : null,
    },
  };
  const VALUES: readonly KeysetValue[] = [
    null,
    true,
    false,
    "",
    "text \u0000 \uD800 '\"",
    0,
    -0,
    5e-324,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2n ** 63n - 1n,
    "12345678901234567890.123456789",
    "2024-02-29T12:00:00.000000000001+14:00",
    Uint8Array.of(0, 255, 62),
    new Uint8Array(),
  ];

  test.each([true, false])("every value round-trips; rows: %s", (isRow) => {
    const token = writeKeysetToken({ position: 7, row: { values: VALUES, isRow } }, scope);
    expect(readKeysetToken(token, VALUES.length, scope)).toEqual({ position: 7, row: { values: VALUES, isRow } });
  });

  test("without a row it contains the position", () => {
    const token = writeKeysetToken({ position: 2 ** 40, row: null }, scope);
    expect(readKeysetToken(token, 3, scope)).toEqual({ position: 2 ** 40, row: null });
  });

  test.each<KeysetValue>(["x".repeat(1501), new Uint8Array(1200), "\u0001".repeat(400)])(
    "a long value leaves the position: %#",
    (value) => {
      const token = writeKeysetToken({ position: 3, row: { values: [value, 1], isRow: true } }, scope);
      expect(token.length).toBeLessThan(1600);
      expect(readKeysetToken(token, 2, scope)).toEqual({ position: 3, row: null });
    },
  );

  test.each([
    ["another context", "Others [1]"],
    ["another number of terms", 'Orders [1,true,"t","t"]'],
    ["no list", "Orders {}"],
    ["no position", 'Orders ["t"]'],
  ])("400 InvalidSkipToken for %s", (_name, token) => {
    expect(() => readKeysetToken(token, 1, scope)).toThrow(
      expect.objectContaining({ status: 400, code: "InvalidSkipToken", target: "$skiptoken" }),
    );
  });
});
