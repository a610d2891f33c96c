import { describe, expect, test } from "vitest";
import type { EntityType, StructuralProperty } from "../../../src/edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../../src/edm/primitive-type.ts";
import { keysetOrder } from "../../../src/engine/plan/keyset-order.ts";
import { readKeysetToken, writeKeysetToken } from "../../../src/engine/plan/keyset-token.ts";
import { totalOrder } from "../../../src/engine/plan/total-order.ts";
import type { OrderByItem } from "../../../src/language/query/clauses.ts";
import type { Expression } from "../../../src/language/query/expression.ts";
import { placeAt, type PlaceOrder, type PlaceValue } from "../../../src/language/query/place.ts";

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

const TYPE: EntityType = Object.freeze({
  kind: "EntityType",
  name: "Thing",
  qualifiedName: "Test.Thing",
  key: [ID],
  properties: [ID, DAY, NAME],
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

function orderOf(...terms: readonly OrderByItem[]): PlaceOrder {
  const order = keysetOrder(totalOrder(terms, TYPE), TYPE.key);
  if (order === null) throw new Error("The order cannot be sought.");
  return order;
}

describe("the place of a row", () => {
  test("terms after the key are dropped, because no ties remain", () => {
    expect(orderOf(term(ID), term(NAME)).terms).toHaveLength(1);
  });

  test("has equal kinds for all rows of the same form, so that one statement serves them", () => {
    const order = orderOf(term(NAME));
    const kindOf = (row: readonly PlaceValue[]): unknown => placeAt(order, row).kind;
    expect(kindOf(["a", 1])).toEqual(kindOf(["b", 2]));
    expect(kindOf(["a", 1])).not.toEqual(kindOf([null, 2]));
    expect(kindOf([null, 1])).toEqual(kindOf([null, 2]));
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

describe("the text of a token", () => {
  // A seal without encryption, so that the text is visible.
  const scope = {
    context: "Orders",
    hasOffset: false,
    seal: {
      seal: (text: string, context: string) => `${context} ${text}`,
      open: (token: string, context: string) =>
        token.startsWith(`${context} `) ? token.slice(context.length + 1) : null,
    },
  };
  const VALUES: readonly PlaceValue[] = [
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

  test.each<PlaceValue>(["x".repeat(1501), new Uint8Array(1200), "\u0001".repeat(400)])(
    "a long value leaves the position: %#",
    (value) => {
      const token = writeKeysetToken({ position: 3, row: { values: [value, 1], isRow: true } }, scope);
      expect(token.length).toBeLessThan(1600);
      expect(readKeysetToken(token, 2, scope)).toEqual({ position: 3, row: null });
    },
  );

  test.each([
    ["another context", "Others [1]"],
    ["another number of terms", 'Orders [1,1,"t","t"]'],
    ["another kind of values", 'Orders [1,true,"t"]'],
    ["no list", "Orders {}"],
    ["no position", 'Orders ["t"]'],
  ])("400 InvalidSkipToken for %s", (_name, token) => {
    expect(() => readKeysetToken(token, 1, scope)).toThrow(
      expect.objectContaining({ status: 400, code: "InvalidSkipToken", target: "$skiptoken" }),
    );
  });
});
