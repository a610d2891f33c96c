import { expect, test } from "vitest";
import { exportNames } from "../../../../src/tools/declarations/names/export-names.ts";

test.each([
  ["Order", "Order"],
  ["Function", "FunctionEntity"],
  ["function", "functionEntity"],
  ["class", "classEntity"],
  ["Date", "DateEntity"],
  ["Record", "RecordEntity"],
  ["Orders", "Orders"],
  ["constructor", "constructor"],
  ["_2nd", "_2nd"],
])("the export of the entity type %s is %s", (typeName, name) => {
  expect([...exportNames([typeName])]).toEqual([[typeName, name]]);
});

test("an export differs from the other types", () => {
  const names = exportNames(["Date", "DateEntity", "date", "mapentity", "Map"]);
  expect([...names.values()]).toEqual(["DateEntity2", "DateEntity", "date", "mapentity", "MapEntity2"]);
});
