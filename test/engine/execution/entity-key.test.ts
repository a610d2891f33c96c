import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import type { EntityType } from "../../../src/edm/model.ts";
import { entityKeyReader, identityOfKey } from "../../../src/engine/entities/entity-key.ts";
import { batchLookup } from "../../../src/engine/entities/handler-answer.ts";
import type { RowShape } from "../../../src/language/query/row-shape.ts";

const KEYS = {
  Int32Row: { key: edm.int32().key() },
  Int64Row: { key: edm.int64().key() },
  DecimalRow: { key: edm.decimal().key() },
  BooleanRow: { key: edm.boolean().key() },
  StringRow: { key: edm.string().key() },
  GuidRow: { key: edm.guid().key() },
  DateRow: { key: edm.date().key() },
  TimeRow: { key: edm.timeOfDay().key() },
  TimestampRow: { key: edm.dateTimeOffset().key() },
  DurationRow: { key: edm.duration().key() },
  PairRow: { left: edm.string().key(), right: edm.string().key() },
} as const;

const { model } = odataService({
  entitySets: Object.entries(KEYS).map(([name, properties]) => {
    return entitySet(entityType(name, properties as typeof KEYS.Int32Row), { getAll: () => [] });
  }),
});

function typeOf(name: keyof typeof KEYS): EntityType {
  const type = model.entityTypes.get(name);
  if (type === undefined) throw new Error(name);
  return type;
}

const identity = (name: keyof typeof KEYS, key: unknown): string => identityOfKey(typeOf(name), key);

describe("keys are compared by value", () => {
  test.each([
    ["Int64Row", 5n, 5],
    ["DecimalRow", "1.10", "1.1"],
    ["DecimalRow", "1.00", "1"],
    ["DecimalRow", "100", 100],
    ["GuidRow", "01234567-89AB-CDEF-0123-456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"],
    ["TimeRow", "10:00:00", "10:00:00.000"],
    ["TimestampRow", "2024-02-29T12:00:00Z", "2024-02-29T13:00:00.00+01:00"],
    ["TimestampRow", new Date(0), "1970-01-01T00:00:00Z"],
    ["DurationRow", "PT36H", "P1DT12H"],
    ["DurationRow", "PT0.50S", "PT0.5S"],
    ["PairRow", { left: "a", right: "b" }, { right: "b", left: "a", other: 1 }],
  ] as const)("%s: %s is %s", (name, left, right) => {
    expect(identity(name, left)).toBe(identity(name, right));
  });

  test.each([
    ["Int32Row", 10, 1],
    ["DecimalRow", "10", "1"],
    ["DecimalRow", "0.10", "0.01"],
    ["BooleanRow", true, false],
    ["StringRow", "1.0", "1.00"],
    ["DateRow", "2024-02-20", "2024-02-02"],
    ["TimestampRow", "2024-02-29T12:00:00.1Z", "2024-02-29T12:00:00.01Z"],
    ["PairRow", { left: "a", right: "bc" }, { left: "ab", right: "c" }],
    ["PairRow", { left: "1:a", right: "" }, { left: "1", right: "a" }],
  ] as const)("%s: %s is not %s", (name, left, right) => {
    expect(identity(name, left)).not.toBe(identity(name, right));
  });
});

test("the application gets one value, or a frozen object of the values by field", () => {
  const single = entityKeyReader(typeOf("Int64Row"), undefined);
  expect(single({ key: 5 })).toEqual({ value: 5n, identity: "5" });
  expect(entityKeyReader(typeOf("Int64Row"), undefined)).toBe(single);
  const pair = entityKeyReader(typeOf("PairRow"), undefined)({ left: "a", right: "b" });
  expect(pair.value).toEqual({ left: "a", right: "b" });
  expect(pair.value).toSatisfy(Object.isFrozen);
  expect(() => single({})).toThrow("A handler returned an entity of type Int64Row without its key Key.");
});

test("rows are read by their layout", () => {
  const type = typeOf("PairRow");
  const [left, right] = type.key;
  if (left === undefined || right === undefined) throw new Error("The pair has two keys.");
  const column = (index: number) => ({ kind: "scalar", index, toValue: String }) as const;
  const shape: RowShape = {
    columns: new Map([
      [left, column(1)],
      [right, column(0)],
    ]),
  };
  expect(entityKeyReader(type, shape)([2, 1]).value).toEqual({ left: "1", right: "2" });
  expect(() => entityKeyReader(type, { columns: new Map([[left, column(0)]]) })).toThrow("no column for Right");
});

describe("the Map of a batch handler", () => {
  const keyOf = entityKeyReader(typeOf("Int64Row"), undefined);
  const find = (answer: unknown, key: number): unknown =>
    batchLookup(answer, typeOf("Int64Row"), "Rows/Nav")(keyOf({ key }));

  test("is searched by the given keys first, then by value", () => {
    expect(find(new Map([[5n, "found"]]), 5)).toBe("found");
    expect(find(new Map([[5, "found"]]), 5)).toBe("found");
    expect(find(new Map([[5n, "found"]]), 6)).toBeUndefined();
  });

  test("must be a Map, with keys of the parents' type", () => {
    for (const answer of [null, undefined, {}, [], 5]) {
      expect(() => find(answer, 5)).toThrow("getBatch of Rows/Nav did not return a Map");
    }
    expect(() => find(new Map([["x", 1]]), 5)).toThrow(
      "getBatch of Rows/Nav returned a Map with a key that is not a key of",
    );
  });
});
