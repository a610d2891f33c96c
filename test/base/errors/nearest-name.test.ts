import { expect, test } from "vitest";
import { nearestName } from "../../../src/base/errors/nearest-name.ts";

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
])("the name most similar to %s is %s", (name, nearest) => {
  expect(nearestName(name, ["$filter", "$orderby", "$top", "$skip", "$select", "$expand"])).toBe(nearest);
});

test.each([
  ["City", "Cities"],
  ["Citeis", "Cities"],
  ["Country", "Countries"],
  ["cities", "Cities"],
  ["y", null],
  ["ies", null],
])("%s suggests %s: a plural is as similar as its singular", (name, nearest) => {
  expect(nearestName(name, ["Cities", "Countries", "Borders"])).toBe(nearest);
});
