import { describe, expect, test } from "vitest";
import { isSameValue, mergeColumns, mergedChanges } from "../../explorer/src/format/merge-columns.ts";
import { entityType, primitive, property } from "./sample-model.ts";

const TYPE = entityType("Order", [
  property("Id", "Int32"),
  property("A", "String"),
  property("B", "String"),
  property("C", "String"),
  property("D", "String"),
  property("Total", "Decimal"),
]);

const BASE = { "@odata.etag": 'W/"1"', Id: 1, A: "a", B: "b", C: "c", D: "d", Total: "1.50" };
const MINE = { A: "mine", C: "same", D: "mine", Total: "1.5" };
const THEIRS = { "@odata.etag": 'W/"2"', Id: 1, A: "a", B: "theirs", C: "same", D: "theirs", Total: "1.50" };

describe("the columns of a merge", () => {
  const rows = mergeColumns(TYPE, BASE, MINE, THEIRS);

  test("say who changed what", () => {
    expect(rows.map(({ property: { name }, state, base, mine, theirs }) => [name, state, base, mine, theirs])).toEqual([
      ["Id", "same", 1, 1, 1],
      ["A", "mine", "a", "mine", "a"],
      ["B", "theirs", "b", "b", "theirs"],
      ["C", "agreed", "c", "same", "same"],
      ["D", "conflict", "d", "mine", "theirs"],
      ["Total", "same", "1.50", "1.5", "1.50"],
    ]);
  });

  test("become changes when every conflict has a choice", () => {
    expect(mergedChanges(rows, new Map())).toBeNull();
    expect(mergedChanges(rows, new Map([["D", "mine"]]))).toEqual({ A: "mine", D: "mine" });
    expect(mergedChanges(rows, new Map([["D", "theirs"]]))).toEqual({ A: "mine" });
  });
});

test.for([
  ["Decimal", "1.50", "1.5", true],
  ["Decimal", "1", "1.0", true],
  ["Decimal", "100", "1", false],
  ["Decimal", "-0.0", "0", true],
  ["Int64", "9007199254740993", "9007199254740992", false],
  ["DateTimeOffset", "2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00Z", true],
  ["DateTimeOffset", "2024-01-01T00:00:00.100Z", "2024-01-01T00:00:00.1Z", true],
  ["DateTimeOffset", "2024-01-01T00:00:00.1234567Z", "2024-01-01T00:00:00.1234568Z", false],
  ["TimeOfDay", "13:20:00", "13:20", true],
  ["TimeOfDay", "13:20:01", "13:20", false],
  ["Guid", "01234567-89AB-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef", true],
  ["String", "A", "a", false],
  ["String", "1.0", "1", false],
  ["String", null, "null", false],
  ["String", null, undefined, true],
  ["String", ["a", "b"], ["b", "a"], false],
  ["String", { a: 1, b: [2], "@odata.type": "#x" }, { b: [2], a: 1 }, true],
] as const)("compares values of %s: %j and %j", ([type, left, right, isSame]) => {
  expect(isSameValue(left, right, { type: primitive(type) })).toBe(isSame);
});
