import { describe, expect, test } from "vitest";
import { isSameValue, mergeColumns, mergedChanges } from "../../../explorer/src/format/entity.ts";
import { entityType, property } from "./sample-model.ts";

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
      ["Total", "mine", "1.50", "1.5", "1.50"],
    ]);
  });

  test("become changes when every conflict has a choice", () => {
    expect(mergedChanges(rows, new Map())).toBeNull();
    expect(mergedChanges(rows, new Map([["D", "mine"]]))).toEqual({ A: "mine", D: "mine", Total: "1.5" });
    expect(mergedChanges(rows, new Map([["D", "theirs"]]))).toEqual({ A: "mine", Total: "1.5" });
  });
});

test.for([
  ["1.50", "1.5", false],
  ["9007199254740993", "9007199254740992", false],
  ["A", "a", false],
  [null, "null", false],
  [null, undefined, true],
  [["a", "b"], ["b", "a"], false],
  [{ a: 1, b: [2] }, { a: 1, b: [2] }, true],
] as const)("compares %j and %j as JSON", ([left, right, isSame]) => {
  expect(isSameValue(left, right)).toBe(isSame);
});
