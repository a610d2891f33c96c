import { expect, test } from "vitest";
import { nearestName } from "../../src/errors/nearest-name.ts";

test.each([
  ["$tpo", "$top"],
  ["$TOP", "$top"],
  ["$filtre", "$filter"],
  ["$order", "$orderby"],
  ["$slect", "$select"],
  ["$selectt", "$select"],
  ["$expend", "$expand"],
  ["$xyz", null],
  ["", null],
  ["$", null],
  ["$filter".repeat(10), null],
])("the name nearest to %s is %s", (name, nearest) => {
  expect(nearestName(name, ["$filter", "$orderby", "$top", "$skip", "$select", "$expand"])).toBe(nearest);
});

test.each([
  ["City", "Cities"],
  ["Citeis", "Cities"],
  ["Country", "Countries"],
  ["cities", "Cities"],
  ["y", null],
  ["ies", null],
])("%s is taken for %s: a plural is as near as its singular", (name, nearest) => {
  expect(nearestName(name, ["Cities", "Countries", "Borders"])).toBe(nearest);
});
