import { describe, expect, test } from "vitest";
import { limitsOf, withLimits } from "../../../explorer/src/query/limits.ts";
import { partsOf } from "../../../explorer/src/query/query-parts.ts";
import { entityType, property } from "./sample-model.ts";

const STATUS = {
  kind: "enum",
  enum: {
    name: "Status",
    qualifiedName: "Shop.Status",
    description: null,
    isFlags: false,
    members: ["Open", "Paid"].map((name, value) => ({ name, value: String(value), description: null })),
  },
} as const;
const ORDER = entityType("Order", [
  property("Id", "Int32"),
  property("Name", "String"),
  property("City", "String"),
  property("Total", "Decimal"),
  property("Day", "Date"),
  property("Status", STATUS),
  property("Tags", "String", { isCollection: true }),
]);

function wordsOf(options: Readonly<Record<string, string>>): readonly string[] {
  return partsOf(ORDER, new Map(Object.entries(options))).map(({ words }) => words);
}

describe("the parts of a query in words", () => {
  test.each([
    [{ $filter: "Total gt 5" }, ["Total is more than 5"]],
    [{ $filter: "Total ge 1000 and Total lt 2000.5" }, ["Total is at least 1,000", "Total is less than 2,000.5"]],
    [{ $filter: "Total lt 5 and Total ge 1" }, ["Total is less than 5", "Total is at least 1"]],
    [{ $filter: "Id eq 1000" }, ["Id is 1000"]],
    [{ $filter: "Name eq null or Name eq ''" }, ["Any of these: Name is null; Name is empty text"]],
    [{ $filter: "not contains(Name,'it''s')" }, ["Name does not contain “it's”"]],
    [{ $filter: "contains(tolower(Name),'a')" }, ["Name contains “a” in any case"]],
    [
      { $filter: "(contains(tolower(Name),'a') or contains(tolower(City),'a')) and Id gt 1" },
      ["Name or City contains “a” in any case", "Id is more than 1"],
    ],
    [{ $filter: "Status in (Shop.Status'Open',null)" }, ["Status is one of Open, null"]],
    [{ $filter: "Day eq 0044-02-29" }, ["Day is 0044-02-29"]],
    [{ $filter: "Tags/any(x:x eq 'red')" }, ["at least one Tags is “red”"]],
    [{ $filter: "Tags/any()" }, ["Tags: at least one"]],
    [{ $filter: "Total gt @most", "@most": "7" }, ["Total is more than 7"]],
    [{ $filter: "Name eq '@most' and Total mul 2 gt 5" }, ["Name is “@most”", "Condition: Total mul 2 gt 5"]],
    [{ $filter: "Nothing eq 5" }, ["Condition: Nothing eq 5"]],
    [{ $filter: "Total gt" }, ["Condition: Total gt"]],
    [{ $search: '"old man"' }, ['Search: "old man"']],
    [{ $orderby: "Total desc,Name" }, ["Sorted by Total, descending", "then by Name"]],
    [{ $orderby: "length(Name)" }, ["Sorted by length(Name)"]],
    [{ $top: "5", $skip: "10" }, ["Rows left out: 10", "Rows at most: 5"]],
    [
      { $apply: "search(x)/filter(Total gt 5)/groupby((City),aggregate($count as N,Total with sum as T))" },
      ["Search: x", "Total is more than 5", "Grouped by City: Number of rows, Sum of Total"],
    ],
    [{ $apply: "aggregate(Total with average as A)" }, ["Average of Total"]],
    [{ $apply: "topcount(5,Total)" }, ["Steps: topcount(5,Total)"]],
  ])("%j", (options, words) => {
    expect(wordsOf(options)).toEqual(words);
  });

  test("a filter of many conditions is one part", () => {
    const many = Array.from({ length: 101 }, (_, index) => `Id ne ${String(index)}`).join(" and ");
    expect(wordsOf({ $filter: many })).toHaveLength(1);
  });

  test.each([
    [{ $filter: "Total gt 5 and Id gt 1" }, { $filter: "Id gt 1" }],
    [{ $filter: "(A eq 1 or B eq 2) and C eq 3 and D eq 4" }, { $filter: "C eq 3 and D eq 4" }],
    [{ $apply: "search(x)/filter(Id gt 1)/topcount(5,Total)" }, { $apply: "filter(Id gt 1)/topcount(5,Total)" }],
    [{ $apply: 'search("a) b")/filter(Id gt 1)/groupby((City))' }, { $apply: "filter(Id gt 1)/groupby((City))" }],
    [
      { $orderby: "Total desc,Name", $top: "5" },
      { $orderby: "Name", $top: "5" },
    ],
  ])("the first part of %j can be removed", (options, rest) => {
    const [part] = partsOf(ORDER, new Map(Object.entries(options)));
    expect(Object.fromEntries([...(part?.rest ?? [])].filter(([, text]) => text !== ""))).toEqual(rest);
  });
});

describe("the limits of a query", () => {
  test.each([
    [
      { $filter: "A eq 1", $search: "x" },
      { search: "x", filter: "A eq 1", steps: "" },
    ],
    [{ $apply: "search(x)" }, { search: "x", filter: "", steps: "" }],
    [{ $apply: "filter(A eq 1)/groupby((B))" }, { search: "", filter: "A eq 1", steps: "groupby((B))" }],
    [{ $apply: "groupby((B))/filter(A eq 1)" }, { search: "", filter: "", steps: "groupby((B))/filter(A eq 1)" }],
    [
      { $apply: "groupby((B))", $filter: "N gt 5" },
      { search: "", filter: "", steps: "groupby((B))" },
    ],
  ])("of %j", (options, limits) => {
    const given = new Map<string, string>(Object.entries(options));
    expect(limitsOf(given)).toEqual(limits);
    expect(limitsOf(withLimits(given, {}))).toEqual(limits);
  });
});
