import { describe, expect, test } from "vitest";
import {
  hrefOf,
  parseFragment,
  pathSegments,
  resourceUrl,
  type View,
  viewOf,
  withOptions,
} from "../../../explorer/src/state/view.ts";

const VIEWS: readonly (readonly [View, string])[] = [
  [viewOf("home"), "#/home"],
  [viewOf("grid", "Orders"), "#/grid/Orders"],
  [
    viewOf("grid", "Orders", [
      ["$filter", "Total gt 5 and Name eq 'A&B'"],
      ["columns", "Id,Name"],
    ]),
    "#/grid/Orders?$filter=Total%20gt%205%20and%20Name%20eq%20'A%26B'&columns=Id,Name",
  ],
  [viewOf("record", "Orders(Id='a%2Fb',Nr=1)"), "#/record/Orders(Id='a%252Fb',Nr=1)"],
  [
    viewOf("chart", "Cities", [["$filter", "Name eq '100%=1#?<é>'"]]),
    "#/chart/Cities?$filter=Name%20eq%20'100%25=1%23?%3Cé%3E'",
  ],
  [viewOf("query", "Orders", [["$search", ""]]), "#/query/Orders?$search="],
  [viewOf("operation", "TopOrders"), "#/operation/TopOrders"],
  [viewOf("relations", "", [["focus", "Orders"]]), "#/relations?focus=Orders"],
];

describe("the fragment", () => {
  test.each(VIEWS)("of %j is %s", (view, fragment) => {
    expect(hrefOf(view)).toBe(fragment);
    expect(parseFragment(fragment)).toEqual(view);
  });

  test.each(["", "#", "#/", "#main", "#/nothing/Orders", "#//", "#/home"])("%j is the home", (fragment) => {
    expect(parseFragment(fragment)).toEqual(viewOf("home"));
  });

  test.each([
    ["#/grid/A?$filter=100%", { $filter: "100%" }],
    ["#/grid/A?a&&b=1=2", { a: "", b: "1=2" }],
    ["#/grid/A?$filter=a?b", { $filter: "a?b" }],
  ])("%j has the options %j", (fragment, options) => {
    expect(Object.fromEntries(parseFragment(fragment).options)).toEqual(options);
  });
});

test("options are changed, added and removed, and the view before stays as it was", () => {
  const before = viewOf("grid", "Orders", [
    ["$filter", "a"],
    ["$top", "1"],
  ]);
  const after = withOptions(before, { $filter: null, $top: "2", columns: "A" });
  expect(Object.fromEntries(after.options)).toEqual({ $top: "2", columns: "A" });
  expect(Object.fromEntries(before.options)).toEqual({ $filter: "a", $top: "1" });
});

test.each([
  [viewOf("grid", "Orders", [["columns", "A"]]), "Orders"],
  [
    viewOf("grid", "Customers('a%2Fb')/Orders", [
      ["$filter", "Name eq 'A+B & é'"],
      ["$orderby", "Total desc,Id"],
      ["$search", ""],
    ]),
    "Customers('a%2Fb')/Orders?$filter=Name%20eq%20'A%2BB%20%26%20%C3%A9'&$orderby=Total%20desc,Id",
  ],
  [viewOf("record", "Länder('100%')"), "L%C3%A4nder('100%25')"],
])("the URL of a view has its system query options: %j", (view, url) => {
  expect(resourceUrl(view)).toBe(url);
});

test.each([
  ["Orders", ["Orders"]],
  ["Orders(1)/Items", ["Orders(1)", "Items"]],
  ["A('x/y')/B(K='it''s/1')/C", ["A('x/y')", "B(K='it''s/1')", "C"]],
  ["", []],
])("%j has the segments %j", (path, segments) => {
  expect(pathSegments(path)).toEqual(segments);
});
