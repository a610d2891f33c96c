import { expect, test } from "vitest";
import { exportName } from "../../../src/declarations/names/export-name.ts";

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
  expect(exportName(typeName)).toBe(name);
});
